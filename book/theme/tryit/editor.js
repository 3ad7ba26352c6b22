// The editor of cells that run on the page: what of CodeMirror it takes. `python -m book assets` bundles it.
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { python } from "@codemirror/lang-python";
import { bracketMatching, HighlightStyle, indentOnInput, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { EditorState } from "@codemirror/state";
import { EditorView, highlightActiveLineGutter, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";

// The colours are variables of the page's style, so that dark mode follows.
const look = HighlightStyle.define([
  { tag: [tags.keyword, tags.operatorKeyword, tags.modifier], class: "try-keyword" },
  { tag: [tags.string, tags.special(tags.string)], class: "try-string" },
  { tag: [tags.number, tags.bool, tags.null], class: "try-number" },
  { tag: tags.comment, class: "try-comment" },
  {
    tag: [tags.function(tags.definition(tags.variableName)), tags.definition(tags.className)],
    class: "try-definition",
  },
]);

/** Put an editor of Python into an element. `run` is called by Control and Enter, `changed` with the text as it
 * changes. Escape, then Tab, leaves it. Returns {text(), replace(text), focus(), end()}. */
export function editor(parent, text, { label, run, changed }) {
  const runs = {
    key: "Mod-Enter",
    run: () => {
      run();
      return true;
    },
  };
  const view = new EditorView({
    parent,
    state: EditorState.create({
      doc: text,
      extensions: [
        lineNumbers(),
        highlightActiveLineGutter(),
        history(),
        indentOnInput(),
        bracketMatching(),
        indentUnit.of("    "),
        EditorState.tabSize.of(4),
        python(),
        syntaxHighlighting(look),
        keymap.of([runs, ...defaultKeymap, ...historyKeymap, indentWithTab]),
        EditorView.contentAttributes.of({
          "aria-label": label,
          autocorrect: "off",
          autocapitalize: "off",
          spellcheck: "false",
        }),
        EditorView.updateListener.of((update) => update.docChanged && changed(update.state.doc.toString())),
      ],
    }),
  });
  return {
    text: () => view.state.doc.toString(),
    replace: (other) => view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: other } }),
    focus: () => view.focus(),
    end: () => view.destroy(),
  };
}

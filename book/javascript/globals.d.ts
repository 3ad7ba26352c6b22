// What the scripts of the pages find there of others: MathJax, require.js, JupyterLab, Pyodide, CodeMirror.

interface Window {
  MathJax: any;
  jupyterapp: any;
  require: any;
}
declare var MathJax: any;
declare const jupyterapp: any;
declare function loadPyodide(options: any): Promise<any>;
declare function importScripts(...addresses: string[]): void;
/** Of the explorers: what a reader redefined on the page, and the functions by which it computes then. */
declare var chaindynPhysics: { names: string[]; runs: Record<string, any>; version: number } | undefined;

declare module "@codemirror/commands";
declare module "@codemirror/lang-python";
declare module "@codemirror/language";
declare module "@codemirror/state";
declare module "@codemirror/view";
declare module "@lezer/highlight";

// Where a reader is: on a narrow screen, which has no contents beside the text, a line below the header says chapter
// and section, and how much of the page is read.
"use strict";

(() => {
  /** What a heading says, without the sign of its link. */
  function said(heading) {
    const copy = heading.cloneNode(true);
    for (const part of copy.querySelectorAll(".headerlink, mjx-math")) part.remove();
    return copy.textContent.replace(/\s+/g, " ").trim();
  }

  function begin() {
    const header = document.querySelector(".bd-header-article");
    const article = document.querySelector("article");
    const title = article?.querySelector("h1");
    const headings = [...(article?.querySelectorAll("section > h2") ?? [])];
    if (!header || !title || headings.length < 2) return;
    const line = document.createElement("div");
    line.className = "place-line";
    line.setAttribute("aria-hidden", "true"); // who hears a page walks by its headings
    const text = document.createElement("span");
    line.append(text);
    header.append(line);
    let waiting = false;
    const show = () => {
      waiting = false;
      const top = header.getBoundingClientRect().bottom + 40;
      line.hidden = title.getBoundingClientRect().bottom > top;
      if (line.hidden) return;
      const here = headings.findLast((heading) => heading.getBoundingClientRect().top < top);
      const words = here ? `${said(title)} · ${said(here)}` : said(title);
      if (text.textContent !== words) text.textContent = words;
      const { top: start, height } = article.getBoundingClientRect();
      const read = Math.min(1, Math.max(0, (top - start) / (height - innerHeight + top)));
      line.style.setProperty("--read", read.toFixed(4));
    };
    const soon = () => {
      if (!waiting) requestAnimationFrame(show);
      waiting = true;
    };
    addEventListener("scroll", soon, { passive: true });
    new ResizeObserver(soon).observe(article);
  }

  // on a wide screen the contents at the right say it
  const narrow = matchMedia("(max-width: 991px)");
  const once = () => narrow.matches && !document.querySelector(".place-line") && begin();
  addEventListener("DOMContentLoaded", once);
  narrow.addEventListener("change", once);
})();

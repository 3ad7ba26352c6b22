// Where a reader is: a line below the header says chapter and section, and how much of the page is read. The place is
// kept in the browser, for the opening page to lead back there (walk.js).
"use strict";

(() => {
  /** What a heading says, without the sign of its link. */
  function said(heading) {
    const copy = heading.cloneNode(true);
    for (const part of copy.querySelectorAll(".headerlink, .minutes, mjx-math")) part.remove();
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
    let [waiting, kept] = [false, 0];
    const isChapter = location.pathname.includes("/chapters/");
    const keep = (here) => {
      const { pathname } = location;
      const place = { pathname, id: here.closest("section").id, title: said(title), section: said(here) };
      try {
        localStorage.setItem("chaindyn-place", JSON.stringify(place));
      } catch {
        return; // it is full: then nothing leads back
      }
    };
    const show = () => {
      waiting = false;
      const { bottom } = header.getBoundingClientRect();
      const top = bottom + 70; // above what a heading is that one has gone to
      line.hidden = title.getBoundingClientRect().bottom > bottom;
      if (line.hidden) return;
      const here = headings.findLast((heading) => heading.getBoundingClientRect().top < top);
      const words = here ? `${said(title)} · ${said(here)}` : said(title);
      if (text.textContent !== words) text.textContent = words;
      const { top: start, height } = article.getBoundingClientRect();
      const read = Math.min(1, Math.max(0, (top - start) / (height - innerHeight + top)));
      line.style.setProperty("--read", read.toFixed(4));
      clearTimeout(kept);
      if (here && isChapter) kept = setTimeout(keep, 1000, here);
    };
    const soon = () => {
      if (!waiting) requestAnimationFrame(show);
      waiting = true;
    };
    addEventListener("scroll", soon, { passive: true });
    new ResizeObserver(soon).observe(article);
  }

  addEventListener("DOMContentLoaded", begin);
})();

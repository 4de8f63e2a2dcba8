// Fetches the page again every few seconds and replaces the parts that have changed. What has not changed stays as it
// is, and so do scroll positions, opened folds, the focus, and text that is being selected.
(() => {
  const every = 1000 * Number(document.currentScript.dataset.every);
  const note = document.getElementById("live");
  const focusable = "a, summary, [tabindex]";
  let failed_since = null;

  const keep = (part) => {
    const all = (what) => [...part.querySelectorAll(what)];
    const scrolled = all(".scroll").map((box) => [box.scrollLeft, box.scrollTop]);
    const open = all("details").map((fold) => fold.open);
    const focus = all(focusable).indexOf(document.activeElement);
    return () => {
      all(".scroll").forEach((box, i) => { if (scrolled[i]) [box.scrollLeft, box.scrollTop] = scrolled[i]; });
      all("details").forEach((fold, i) => { fold.open = open[i] || false; });
      if (focus >= 0 && all(focusable)[focus]) all(focusable)[focus].focus({ preventScroll: true });
    };
  };

  const is_selected = (part) => {
    const selection = document.getSelection();
    return selection && !selection.isCollapsed && selection.containsNode(part, true);
  };

  const shown = new Map([...document.querySelectorAll("[data-live]")].map((part) => [part.id, part.innerHTML]));
  const replace = (page) => {
    const parts = [...page.querySelectorAll("[data-live]")];
    if (parts.length !== shown.size || parts.some((part) => !shown.has(part.id))) {
      location.reload(); // other parts than before: of a new leader, or of a new version
      return;
    }
    for (const next of parts) {
      const part = document.getElementById(next.id);
      if (shown.get(next.id) === next.innerHTML || is_selected(part)) continue;
      shown.set(next.id, next.innerHTML);
      const restore = keep(part);
      part.innerHTML = next.innerHTML;
      restore();
    }
  };

  const refresh = async () => {
    if (!document.hidden) {
      try {
        const answer = await fetch(location.href, { cache: "no-store" });
        if (!answer.ok) throw new Error(String(answer.status));
        replace(new DOMParser().parseFromString(await answer.text(), "text/html"));
        if (failed_since) note.textContent = "";
        failed_since = null;
      } catch (error) {
        failed_since = failed_since || new Date().toLocaleTimeString();
        note.textContent = `The operator has not answered since ${failed_since}; this page is as of then.`;
      }
    }
    setTimeout(refresh, every);
  };
  setTimeout(refresh, every);
})();

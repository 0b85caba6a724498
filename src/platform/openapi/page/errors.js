'use strict';

{
  const filter = document.getElementById('filter');
  const found = document.getElementById('found');
  const codes = document.getElementById('codes');
  const nothing = document.getElementById('nothing');
  const entries = Array.from(document.querySelectorAll('article'), (article) => ({
    article,
    text: article.textContent.toLowerCase(),
    link: codes.querySelector(`a[href="#${article.id}"]`).parentElement,
  }));

  function show() {
    const words = filter.value.toLowerCase().split(/\s+/);
    for (const { article, text, link } of entries)
      link.hidden = article.hidden = !words.every((word) => text.includes(word));
    const count = entries.filter(({ article }) => !article.hidden).length;
    nothing.hidden = count > 0;
    found.textContent = `${count} of ${entries.length} codes`;
  }

  function showAll() {
    filter.value = '';
    show();
  }

  /** The address may name an entry that the filter hides. */
  function reveal() {
    const named = document.getElementById(location.hash.slice(1));
    if (!named?.hidden) return;
    showAll();
    named.scrollIntoView();
  }

  const wide = matchMedia('(min-width: 800px)');
  const fold = () => (codes.open = wide.matches);
  wide.addEventListener('change', fold);
  codes.addEventListener('click', ({ target }) => {
    if (target.closest('a') && !wide.matches) codes.open = false;
  });
  filter.addEventListener('input', show);
  nothing.querySelector('button').addEventListener('click', showAll);
  window.addEventListener('hashchange', reveal);
  fold();
  show();
}

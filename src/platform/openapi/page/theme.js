'use strict';

// Swagger UI's styles have a dark mode, which follows a class instead of the system.
{
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
  dark.addEventListener('change', follow);
  follow();
}

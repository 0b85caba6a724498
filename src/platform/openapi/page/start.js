'use strict';

// Every step is there in several languages. A reader follows one; without this script all are shown.
{
  const LANGUAGES = { sh: 'curl', ts: 'TypeScript', py: 'Python' };
  const main = document.querySelector('main');
  const choice = document.createElement('fieldset');
  choice.className = 'languages';
  const legend = document.createElement('legend');
  legend.className = 'note';
  legend.textContent = 'Language';
  const choices = Object.entries(LANGUAGES).map(([value, name]) => {
    const label = document.createElement('label');
    const input = Object.assign(document.createElement('input'), { type: 'radio', name: 'language', value });
    input.addEventListener('change', () => (main.dataset.language = value));
    label.append(input, name);
    return label;
  });
  choice.append(legend, ...choices);
  choices[0].firstChild.checked = true;
  main.dataset.language = Object.keys(LANGUAGES)[0];
  document.getElementById('prepare').before(choice);
}

// A service without PUBLIC_URL does not know its own address. The browser does.
{
  const main = document.querySelector('main');
  const { exampleAddress } = main.dataset;
  const address = new URL('..', location.href).href.replace(/\/$/, '');
  if (exampleAddress !== undefined)
    for (const code of main.querySelectorAll('code'))
      if (code.textContent.includes(exampleAddress))
        code.textContent = code.textContent.replaceAll(exampleAddress, address);
}

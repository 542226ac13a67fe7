'use strict';
// Drives a report's page in headless Chromium: `node drive.cjs CHECK ARGUMENT`, from tests/it/page.rs, which
// names the folder of playwright-core and axe-core in NODE_PATH. Ends with 0, or says what is wrong.

const assert = require('node:assert/strict');
const fs = require('node:fs');
const { chromium } = require('playwright-core');

const OPTIONS = [
  '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
  '--disable-component-update', '--disable-sync', '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
];

// Everything that a page may not do by itself, as it happens.
const watch = (page, complaints) => {
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(`console: ${message.text()}`);
  });
  page.on('pageerror', (error) => complaints.push(`error: ${error.stack}`));
  page.on('dialog', (dialog) => {
    complaints.push(`a script ran and said ${dialog.message()}`);
    dialog.dismiss();
  });
};

const inBrowser = async (work, options = {}) => {
  const executablePath = process.env.CHROMIUM || '/usr/bin/chromium';
  const browser = await chromium.launch({ executablePath, headless: true, args: OPTIONS });
  const complaints = [];
  try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 1000 }, ...options });
    watch(page, complaints);
    await work(page, complaints);
    assert.deepEqual(complaints, []);
  } finally {
    await browser.close();
  }
};

// ---- accessibility

const AXE = fs.readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

const accessible = async (page, when) => {
  await page.evaluate(AXE);
  // What is not laid out is not looked at.
  await page.evaluate(() => document.body.classList.remove('large'));
  const violations = await page.evaluate(async () => {
    const { violations } = await window.axe.run(document, { resultTypes: ['violations'] });
    return violations.map(({ id, help, nodes }) => `${id}: ${help}\n    ${nodes.slice(0, 3).map((node) => node.html.slice(0, 200)).join('\n    ')}`);
  });
  assert.equal(violations.join('\n'), '', `accessibility ${when}`);
};

// ---- what a reader does

const column = (table, number) => table.locator(`tbody tr:not([hidden]) > :nth-child(${number})`).allInnerTexts();

const numbers = (texts) => texts.map((text) => Number(text.replace(/n = \d+/, '').trim().split(/\s/)[0]));

const sorts = async (page) => {
  const table = page.locator('section[id^="table-"] table').first();
  const before = await column(table, 1);
  const head = table.locator('thead th').nth(1);
  await head.locator('button').click();
  assert.equal(await head.getAttribute('aria-sort'), 'descending');
  const falling = numbers(await column(table, 2)).filter((number) => !Number.isNaN(number));
  assert.ok(falling.length > 1, 'there are scores');
  assert.deepEqual(falling, [...falling].sort((a, b) => b - a));
  await head.locator('button').press('Enter');
  assert.equal(await head.getAttribute('aria-sort'), 'ascending');
  const rising = numbers(await column(table, 2)).filter((number) => !Number.isNaN(number));
  assert.deepEqual(rising, [...falling].reverse());
  await head.locator('button').click();
  assert.equal(await head.getAttribute('aria-sort'), 'none');
  assert.deepEqual(await column(table, 1), before);
};

const filters = async (page, word) => {
  const card = page.locator('section[id^="table-"]').first();
  const all = (await column(card.locator('table'), 1)).length;
  await card.locator('.filter input').fill(word);
  const shown = await column(card.locator('table'), 1);
  assert.ok(shown.length > 0 && shown.length < all, `${shown.length} of ${all}`);
  assert.ok(shown.every((text) => text.includes(word)), shown.join());
  assert.equal(await card.locator('.filter [role=status]').innerText(), `${shown.length} of ${all} rows`);
  await card.locator('.filter input').fill('');
  assert.equal((await column(card.locator('table'), 1)).length, all);
};

const visibleStops = (table) => table.locator('tbody tr:not([hidden]) button.open[tabindex="0"]').count();

// Whatever is filtered and sorted, one cell that is seen takes the Tab key.
const keepsTabStop = async (page, word) => {
  const card = page.locator('section[id^="table-"]').first();
  const table = card.locator('table');
  const input = card.locator('.filter input');
  await input.fill(word);
  assert.equal(await visibleStops(table), 1, 'filtered');
  assert.equal(await table.locator('button.open[tabindex="0"]').count(), 1);
  await table.locator('button.sort').nth(1).click();
  assert.equal(await visibleStops(table), 1, 'filtered and sorted');
  await input.fill('no such row');
  assert.equal(await table.locator('button.open[tabindex="0"]').count(), 0);
  await input.fill('');
  assert.equal(await visibleStops(table), 1, 'all rows again');
  const [stop, first] = ['button.open[tabindex="0"]', 'button.open'].map((cell) => table.locator(cell).first());
  assert.equal(await stop.getAttribute('id'), await first.getAttribute('id'));
  for (let order = 0; order < 2; order += 1) await table.locator('button.sort').nth(1).click();
};

// Of comparisons every row keeps its model, wherever it goes.
const comparisonsKeepModels = async (page, model) => {
  const card = page.locator('section[id^="table-comparisons"]').first();
  const table = card.locator('table');
  const all = await column(table, 1);
  assert.ok(all.every((text) => text.trim()), `a row without its model: ${all.join()}`);
  const own = all.filter((text) => text.trim() === model).length;
  assert.ok(own > 1 && own < all.length, all.join());
  const head = table.locator('thead th').nth(2);
  await head.locator('button').click();
  const difference = numbers((await column(table, 3)).map((text) => text.replace('−', '-')));
  const falling = difference.filter((number) => !Number.isNaN(number));
  assert.deepEqual(falling, [...falling].sort((a, b) => b - a));
  assert.deepEqual([...await column(table, 1)].sort(), [...all].sort());
  assert.ok(await table.locator('tbody th .unseen').first().isVisible());
  await card.locator('.filter input').fill(model);
  const kept = await column(table, 1);
  assert.equal(kept.length, own);
  assert.ok(kept.every((text) => text.trim() === model), kept.join());
  await card.locator('.filter input').fill('');
  for (let order = 0; order < 2; order += 1) await head.locator('button').click();
};

// The filter on top is for every table, also for those that have none of their own.
const filtersAll = async (page, word) => {
  const hidden = () => page.locator('main [id^="table-"] tbody tr[hidden]').count();
  await page.locator('#filter-all').fill(word);
  const wrong = await page.evaluate((text) => [...document.querySelectorAll('main [id^="table-"] tbody tr')].filter((row) => {
    const copy = row.cloneNode(true);
    for (const said of copy.querySelectorAll('td .unseen')) said.remove();
    return row.hidden === copy.textContent.toLowerCase().includes(text);
  }).length, word);
  assert.equal(wrong, 0, 'rows that the filter on top missed');
  assert.ok(await hidden() > 0);
  assert.match(await page.locator('#filter-all-status').innerText(), /^\d+ of \d+ rows/);
  await page.locator('#filter-all').fill('');
  assert.equal(await hidden(), 0);
};

const pointAt = (mark, type, pointerType) => mark.evaluate((one, [name, kind]) => {
  one.dispatchEvent(new PointerEvent(name, { bubbles: true, clientX: 60, clientY: 60, pointerType: kind }));
}, [type, pointerType]);

// Marks of figures tell their numbers to a mouse, a finger and the keyboard.
const showsTips = async (page) => {
  const [tip, figure] = [page.locator('#tip'), page.locator('figure:has([data-tip])').first()];
  const mark = figure.locator('[data-tip]').first();
  const words = await mark.getAttribute('data-tip');
  await pointAt(mark, 'pointermove', 'mouse');
  assert.equal(await tip.textContent(), words);
  assert.ok(await tip.isVisible());
  await pointAt(figure, 'pointerleave', 'mouse');
  assert.ok(!await tip.isVisible());
  await pointAt(mark, 'pointerdown', 'touch');
  await pointAt(figure, 'pointerleave', 'touch');
  assert.ok(await tip.isVisible(), 'a tap is enough');
  await pointAt(page.locator('h1'), 'pointerdown', 'touch');
  assert.ok(!await tip.isVisible());
  await figure.locator('.drawing').focus();
  await page.keyboard.press('ArrowRight');
  assert.equal(await tip.textContent(), words);
  assert.ok(await tip.isVisible());
  await accessible(page, 'with a tip');
  await page.keyboard.press('Escape');
  assert.ok(!await tip.isVisible());
};

// What is folded is on paper.
const unfoldsForPrint = async (page) => {
  const open = () => page.locator('main details[open]').count();
  const [before, all] = [await open(), await page.locator('main details').count()];
  assert.ok(before < all, 'something is folded');
  await page.evaluate(() => window.dispatchEvent(new Event('beforeprint')));
  assert.equal(await open(), all);
  await page.evaluate(() => window.dispatchEvent(new Event('afterprint')));
  assert.equal(await open(), before);
};

const opensFirst = async (page, table, seeds) => {
  await table.locator('button.open').first().click();
  const dialog = page.locator('dialog[open]');
  assert.equal(await dialog.locator('table').first().locator('tbody tr').count(), seeds);
  const keys = await dialog.locator('code').allInnerTexts();
  assert.ok(keys.filter((key) => /^[0-9a-f]{20}$/.test(key)).length >= seeds, keys.join());
  await accessible(page, 'with a cell open');
  await page.keyboard.press('Escape');
  assert.equal(await dialog.count(), 0);
};

const opensCells = async (page, seeds) => {
  const table = page.locator('section[id^="table-"] table').first();
  const [cell, dialog] = [table.locator('button.open').first(), page.locator('dialog[open]')];
  await opensFirst(page, table, seeds);
  // By keyboard: the table takes the Tab key once, arrows lead on, Enter opens.
  assert.equal(await table.locator('button.open[tabindex="0"]').count(), 1);
  await cell.focus();
  await page.keyboard.press('ArrowDown');
  const focused = () => page.evaluate(() => document.activeElement.id);
  assert.notEqual(await focused(), await cell.getAttribute('id'));
  const second = await focused();
  await page.keyboard.press('Enter');
  assert.equal(await dialog.count(), 1);
  await page.keyboard.press('Escape');
  assert.equal(await focused(), second, 'the focus comes back');
};

const showsFailures = async (page, reason) => {
  const gap = page.locator('button.open', { hasText: 'failed' }).first();
  await gap.click();
  const text = await page.locator('dialog[open]').innerText();
  assert.ok(text.includes(reason), text);
  await page.keyboard.press('Escape');
};

const showsExamples = async (page) => {
  const model = page.locator('details[id^="types-"]').first();
  await model.locator('> summary').click();
  const type = model.locator('details.type').first();
  await type.locator('> summary').click();
  assert.ok(await type.locator('.examples li').count() > 0, 'there are examples');
  assert.ok(await type.locator('.examples mark').first().isVisible());
};

const CHECKS = {
  // A page from disk: ARGUMENT is its path. The grid has a method `scr`, models one of which is `bilstm`, 3 seeds,
  // and a method that fails.
  page: (file) => inBrowser(async (page, complaints) => {
    page.on('request', (request) => {
      if (request.url() !== `file://${file}`) complaints.push(`request: ${request.url()}`);
    });
    await page.goto(`file://${file}`);
    await sorts(page);
    await filters(page, 'scr');
    await keepsTabStop(page, 'scr');
    await comparisonsKeepModels(page, 'bilstm');
    await filtersAll(page, 'scr');
    await unfoldsForPrint(page);
    await showsTips(page);
    await opensCells(page, 3);
    await showsFailures(page, 'asked to panic');
    await showsExamples(page);
    for (const colorScheme of ['light', 'dark']) {
      await page.emulateMedia({ colorScheme });
      await accessible(page, `in ${colorScheme}`);
    }
    await page.setViewportSize({ width: 360, height: 800 });
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    assert.ok(wide <= 0, `a phone would scroll sideways by ${wide}`);
    await accessible(page, 'on a phone');
  }),

  // A page whose tables of scores have one row: its cells open too.
  single: (file) => inBrowser(async (page) => {
    await page.goto(`file://${file}`);
    const table = page.locator('section[id^="table-"] table').first();
    assert.equal(await table.locator('tbody tr').count(), 1);
    assert.equal(await table.locator('button.sort').count(), 0, 'there is nothing to sort');
    await opensFirst(page, table, 3);
    await accessible(page, 'with one row');
  }),

  // Without its script everything is still there to read.
  plain: (file) => inBrowser(async (page) => {
    await page.goto(`file://${file}`);
    assert.equal(await page.locator('button').count(), 0);
    assert.ok(await page.locator('table').first().isVisible());
    await page.locator('details').first().locator('> summary').click();
    assert.ok(await page.locator('details table').first().isVisible());
  }, { javaScriptEnabled: false }),

  // A page full of hostile names, tokens and reasons: nothing of them is more than text.
  hostile: (file) => inBrowser(async (page) => {
    await page.goto(`file://${file}`);
    for (const fold of await page.locator('details').all()) await fold.evaluate((one) => { one.open = true; });
    for (const cell of await page.locator('button.open').all()) {
      await cell.click();
      await page.keyboard.press('Escape');
    }
    await page.locator('button.sort').first().click();
    const found = await page.evaluate(() => ({
      scripts: document.scripts.length,
      foreign: document.querySelectorAll('img, iframe, object, embed, link:not([rel=icon]), base, form').length,
      handlers: [...document.querySelectorAll('*')].filter((one) => [...one.attributes].some(({ name }) => name.startsWith('on'))).length,
      broken: window.broken,
      turned: /[\u202a-\u202e\u2066-\u2069\u0007]/.test(document.body.textContent),
      shown: document.body.textContent.includes('</script><img src=x onerror=window.broken=1>'),
    }));
    assert.deepEqual(found, { scripts: 2, foreign: 0, handlers: 0, broken: undefined, turned: false, shown: true });
  }),

  // A served page: ARGUMENT is its address. Says `ready`, and waits for a job to finish.
  live: (address) => inBrowser(async (page) => {
    await page.goto(address);
    await page.evaluate(() => { window.before = true; });
    const done = page.locator('.tiles dd').first();
    const before = await done.innerText();
    await page.locator('.filter input').first().fill('scr');
    const fold = page.locator('details').first();
    await fold.locator('> summary').click();
    await page.locator('button.sort').nth(1).click();
    process.stdout.write('ready\n');
    await page.waitForFunction((text) => document.querySelector('.tiles dd').innerText !== text, before, { timeout: 240000 });
    assert.match(await page.locator('#live').innerText(), /^Live, updated/);
    assert.equal(await page.evaluate(() => window.before), true, 'the page was not loaded again');
    assert.equal(await page.locator('.filter input').first().inputValue(), 'scr');
    assert.equal(await page.locator('table').first().locator('thead th').nth(1).getAttribute('aria-sort'), 'descending');
    assert.equal(await fold.getAttribute('open'), '');
    await accessible(page, 'while it is live');
  }),
};

const [check, argument] = process.argv.slice(2);
CHECKS[check](argument).catch((error) => {
  console.error(error.stack);
  process.exit(1);
});

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

const opensCells = async (page, seeds) => {
  const table = page.locator('section[id^="table-"] table').first();
  const cell = table.locator('button.open').first();
  await cell.click();
  const dialog = page.locator('dialog[open]');
  assert.equal(await dialog.locator('table').first().locator('tbody tr').count(), seeds);
  const keys = await dialog.locator('code').allInnerTexts();
  assert.ok(keys.filter((key) => /^[0-9a-f]{20}$/.test(key)).length >= seeds, keys.join());
  await accessible(page, 'with a cell open');
  await page.keyboard.press('Escape');
  assert.equal(await dialog.count(), 0);
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
  // A page from disk: ARGUMENT is its path. The grid has a method `scr`, 3 seeds, and one that fails.
  page: (file) => inBrowser(async (page, complaints) => {
    page.on('request', (request) => {
      if (request.url() !== `file://${file}`) complaints.push(`request: ${request.url()}`);
    });
    await page.goto(`file://${file}`);
    await sorts(page);
    await filters(page, 'scr');
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

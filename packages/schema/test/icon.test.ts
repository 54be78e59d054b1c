import assert from 'node:assert/strict';
import { allIcons, iconProblem, iconsDocument, nearIcons } from '../src/index.js';

describe('icons', () => {
  it('lists more than 1,500 icons once each, in alphabetical order, with words to find them', () => {
    const icons = allIcons();
    const names = icons.map(({ name }) => name);
    assert.ok(names.length > 1500);
    assert.deepEqual(names, [...new Set(names)].sort());
    assert.ok(icons.every(({ name, tags }) => /^[a-z0-9-]+$/.test(name) && tags.every((tag) => tag !== '' && !/[\n:,]/.test(tag))));
    assert.ok(icons.filter(({ tags }) => tags.length > 0).length > 1500);
    assert.deepEqual(iconsDocument(), { ok: true, icons });
  });

  it('suggests icons for a misspelled name, for a name in another notation, and for a word', () => {
    assert.equal(nearIcons('chek')[0], 'check');
    assert.equal(nearIcons('CloudSun')[0], 'cloud-sun');
    assert.equal(nearIcons('cloud_sun')[0], 'cloud-sun');
    assert.equal(nearIcons(' Bell ')[0], 'bell');
    assert.ok(nearIcons('garbage').includes('trash'));
    assert.ok(nearIcons('weather').length === 3);
    assert.deepEqual(nearIcons('qqqqqqqq'), []);
  });

  it('names at most three icons in the message about an unknown one', () => {
    assert.match(iconProblem('icon', 'weather')?.message ?? '', /^"weather" is not an icon; did you mean [a-z0-9-]+, [a-z0-9-]+ or [a-z0-9-]+\? GET/);
    assert.equal(iconProblem('icon', 'qqqqqqqq')?.message, '"qqqqqqqq" is not an icon; GET /v1/icons lists all');
    assert.equal(iconProblem('icon', 'check'), null);
  });
});

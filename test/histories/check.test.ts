import { expect, test } from 'vitest'
import { faultsOf } from './check.ts'
import type { Action, Answer, Entry, Model, ResourceHistory } from './history.ts'
import { ABSENT, counters, documents, documentState, sets } from './models.ts'

/** Calls of a made-up history: begin, end (`undefined`: unanswered), action, answer. */
type Call = readonly [began: number, ended: number | undefined, action: Action, answer?: Answer]

const EFFECTS: Readonly<Record<string, string>> = {
  create: 'Create',
  change: 'Update',
  remove: 'Delete',
  append: 'Rotate',
}

function judged(
  model: Model,
  initial: string,
  calls: readonly Call[],
  records?: Record<string, number>,
  most?: number,
): string {
  const entries: Entry[] = calls.map(([began, ended = Infinity, action, answer], client) => ({
    client,
    action,
    effect: EFFECTS[action.verb],
    began,
    ended,
    answer,
  }))
  const history: ResourceHistory = { name: 'one', initial, entries, records }
  return faultsOf(history, model, most).join(' ')
}

const NO_ORDER = 'one: no order of the calls explains the answers.'
const there = documentState({ id: 'a', rev: 1, value: 'old' })

const create = (value: string): Action => ({ verb: 'create', value })
const change = (value: string, rev?: number): Action => ({ verb: 'change', id: 'a', value, rev })
const read: Action = { verb: 'read', id: 'a' }
const find: Action = { verb: 'find' }
const remove: Action = { verb: 'remove', id: 'a' }
const append: Action = { verb: 'append' }
const done = (more: Partial<Answer> = {}): Answer => ({ outcome: 'done', ...more })
const absent: Answer = { outcome: 'absent' }

test.each<[string, Model, string, readonly Call[], Record<string, number>?]>([
  [
    'calls one after another',
    documents,
    ABSENT,
    [
      [1, 2, create('x'), done({ id: 'a', rev: 1 })],
      [3, 4, read, done({ rev: 1, value: 'x' })],
      [5, 6, remove, done()],
      [7, 8, find, absent],
    ],
  ],
  [
    'a read during a change that shows the old value',
    documents,
    there,
    [
      [1, 4, change('new'), done({ rev: 2 })],
      [2, 3, read, done({ rev: 1, value: 'old' })],
    ],
  ],
  [
    'a read during a change that shows the new value',
    documents,
    there,
    [
      [1, 4, change('new'), done({ rev: 2 })],
      [2, 3, read, done({ rev: 2, value: 'new' })],
    ],
  ],
  [
    'one of two creates at once',
    documents,
    ABSENT,
    [
      [1, 4, create('x'), done({ id: 'a', rev: 1 })],
      [2, 3, create('y'), { outcome: 'taken' }],
    ],
  ],
  [
    'one of two changes of the same revision',
    documents,
    there,
    [
      [1, 4, change('x', 1), done({ rev: 2 })],
      [2, 3, change('y', 1), { outcome: 'stale' }],
    ],
  ],
  [
    'an unanswered change that had no effect',
    documents,
    there,
    [
      [1, undefined, change('x')],
      [3, 4, read, done({ rev: 1, value: 'old' })],
    ],
  ],
  [
    'an unanswered change that took effect late',
    documents,
    there,
    [
      [1, undefined, change('x')],
      [3, 4, read, done({ rev: 1, value: 'old' })],
      [5, 6, read, done({ rev: 2, value: 'x' })],
    ],
    { Update: 1 },
  ],
  [
    'an unanswered create, whose id a search shows',
    documents,
    ABSENT,
    [
      [1, undefined, create('x')],
      [3, 4, find, done({ id: 'a', value: 'x' })],
      [5, 6, change('y'), done({ rev: 2 })],
    ],
    { Create: 1, Update: 1 },
  ],
  ['another id than the present one', documents, there, [[1, 2, { verb: 'read', id: 'b' }, absent]]],
  [
    'a call that was refused because of other work',
    documents,
    there,
    [
      [1, 2, change('x'), { outcome: 'busy' }],
      [3, 4, read, done({ rev: 1, value: 'old' })],
    ],
    {},
  ],
  [
    'versions in any order of calls at once',
    counters,
    '0',
    [
      [1, 4, append, done({ count: 2 })],
      [2, 3, append, done({ count: 1 })],
      [5, 6, find, done({ count: 2 })],
    ],
    { Rotate: 2 },
  ],
  [
    'an unanswered version, that is in the log',
    counters,
    '0',
    [
      [1, undefined, append],
      [3, 4, find, done({ count: 0 })],
    ],
    { Rotate: 1 },
  ],
  [
    'a grant and its withdrawal at once',
    sets(true),
    '[]',
    [
      [1, 4, { verb: 'grant', user: 'u' }, done({ count: 1 })],
      [2, 3, { verb: 'withdraw', user: 'u' }, absent],
    ],
  ],
  [
    'withdrawals that may be repeated',
    sets(false),
    '["u"]',
    [
      [1, 2, { verb: 'withdraw', user: 'u' }, done({ users: [] })],
      [3, 4, { verb: 'withdraw', user: 'u' }, done({ users: [] })],
    ],
  ],
])('%s is explained', (_what, model, initial, calls, records) => {
  expect(judged(model, initial, calls, records)).toBe('')
})

test.each<[string, Model, string, readonly Call[], Record<string, number>?]>([
  [
    'a lost effect',
    documents,
    there,
    [
      [1, 2, change('x'), done({ rev: 2 })],
      [3, 4, read, done({ rev: 1, value: 'old' })],
    ],
  ],
  [
    'a doubled effect',
    counters,
    '0',
    [
      [1, 2, append, done({ count: 1 })],
      [3, 4, find, done({ count: 2 })],
    ],
  ],
  [
    'an old read after a newer one',
    documents,
    there,
    [
      [1, undefined, change('x')],
      [2, 3, read, done({ rev: 2, value: 'x' })],
      [4, 5, read, done({ rev: 1, value: 'old' })],
    ],
  ],
  [
    'two successes under the same If-Match',
    documents,
    there,
    [
      [1, 4, change('x', 1), done({ rev: 2 })],
      [2, 3, change('y', 1), done({ rev: 3 })],
    ],
  ],
  [
    'the effect of a refused call',
    documents,
    there,
    [
      [1, 2, change('x'), absent],
      [3, 4, read, done({ rev: 1, value: 'old' })],
    ],
  ],
  [
    'two records of one name',
    documents,
    ABSENT,
    [
      [1, 4, create('x'), done({ id: 'a', rev: 1 })],
      [2, 3, create('y'), done({ id: 'b', rev: 1 })],
    ],
  ],
  ['a name that is taken by nobody', documents, ABSENT, [[1, 2, create('x'), { outcome: 'taken' }]]],
  [
    'an answer before its request',
    documents,
    there,
    [
      [1, 2, read, done({ rev: 2, value: 'x' })],
      [3, 4, change('x'), done({ rev: 2 })],
    ],
  ],
  [
    'a removed record that is read',
    documents,
    there,
    [
      [1, 2, remove, done()],
      [3, 4, read, done({ rev: 1, value: 'old' })],
    ],
  ],
  [
    'a version that two calls made',
    counters,
    '0',
    [
      [1, 4, append, done({ count: 1 })],
      [2, 3, append, done({ count: 1 })],
    ],
  ],
  [
    'a lost member',
    sets(true),
    '[]',
    [
      [1, 2, { verb: 'grant', user: 'u' }, done({ count: 1 })],
      [3, 4, find, done({ count: 0 })],
    ],
  ],
  ['a permission that nobody gave', sets(false), '[]', [[1, 2, find, done({ users: ['u'] })]]],
])('%s is unexplained', (_what, model, initial, calls, records) => {
  expect(judged(model, initial, calls, records)).toBe(NO_ORDER)
})

test.each<[string, readonly Call[], Record<string, number>]>([
  ['a lost audit record', [[1, 2, append, done({ count: 1 })]], {}],
  ['a doubled audit record', [[1, 2, append, done({ count: 1 })]], { Rotate: 2 }],
  ['the record of an effect that did not happen', [[1, 2, find, done({ count: 0 })]], { Rotate: 1 }],
  ['the record of another effect', [[1, 2, append, done({ count: 1 })]], { Rotate: 1, Delete: 1 }],
])('%s is unexplained', (_what, calls, records) => {
  expect(judged(counters, '0', calls, records)).toContain('no order has these effects')
})

test('a history of many concurrent calls is searched completely, and a wider one is an error', () => {
  const calls = (count: number): Call[] =>
    Array.from({ length: count }, (_, at) => [at, 1_000 + at, append, done({ count: at + 1 })])
  expect(judged(counters, '0', calls(60), { Rotate: 60 })).toBe('')
  const grants = Array.from({ length: 40 }, (_, at): Call => [at, 1_000, { verb: 'grant', user: `u${at}` }, done()])
  const wide = [...grants, [2_000, 2_001, find, done({ count: 39 })] as const]
  expect(() => judged(sets(true), '[]', wide, undefined, 500)).toThrow('Too many orders')
})

import { expect, test } from 'vitest'
import { EXPORT } from '../../../shared/audit-exports/export.ts'
import { expositionOf } from '../../../shared/metrics/exposition.ts'
import { OVERDUE_WORK } from '../../../shared/metrics/overdue.ts'
import { carried, WORK_SWEEPS } from '../../../shared/work/sweeps.ts'
import { parseExposition } from '../../support/exposition.ts'

test('every label and help text is read back unchanged', () => {
  const [help, label] = ['a "help"\\ of\ntwo lines', 'back\\slash, "quote", {brace}\nline\\n']
  const samples = [
    { labels: { label, other: '' }, value: 0.5 },
    { labels: {}, value: 1e21 },
  ]
  const text = expositionOf([
    { name: 'a_gauge', help, type: 'gauge', samples },
    { name: 'nothing', help, type: 'gauge', samples: [] },
  ])
  const families = parseExposition(text)
  expect([...families.keys()]).toEqual(['a_gauge'])
  expect(families.get('a_gauge')?.samples).toEqual(samples.map((sample) => ({ name: 'a_gauge', ...sample })))
})

test.each([
  ['a sample without head', 'a 1\n'],
  ['a last line without end', '# HELP a b\n# TYPE a gauge\na 1'],
  ['a sample twice', '# HELP a b\n# TYPE a gauge\na 1\na 1\n'],
  ['a counter by another name', '# HELP a b\n# TYPE a counter\na 1\n'],
  ['a bare quote in a label', '# HELP a b\n# TYPE a gauge\na{l="""} 1\n'],
  [
    'buckets that fall',
    '# HELP a b\n# TYPE a histogram\na_bucket{le="1"} 2\na_bucket{le="+Inf"} 1\na_sum 1\na_count 1\n',
  ],
])('the parser of these tests refuses %s', (_what, text) => {
  expect(() => parseExposition(text)).toThrow()
})

test('work that is overdue is all that sweeps go on with', () => {
  const rows = [...WORK_SWEEPS, ...carried('export', EXPORT)]
  const resumed = rows.filter(({ counts }) => counts === 'resumed' || counts === 'scheduled').map(({ due }) => due)
  expect([...OVERDUE_WORK].sort()).toEqual(resumed.sort())
})

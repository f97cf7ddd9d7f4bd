import fc from '../../../support/fast-check.ts'
import { expect, test } from 'vitest'
import { headerLine, rowLine } from '../../../../shared/work/report/csv.ts'
import type { Column } from '../../../../shared/work/report/reported.ts'
import { cellsOf } from '../../../functions/reports/reports.ts'

const COLUMNS: readonly Column[] = [
  ['key name', 'name'],
  ['modified, by', 'user'],
]
const lineOf = (name: string | boolean | null, user: string): string => rowLine(COLUMNS, { name, user })

test('the header is a line of its own, quoted where it must be', () => {
  expect(headerLine(COLUMNS)).toBe('key name,"modified, by"\r\n')
})

test.each([
  ['plain', 'orders', 'alice', 'orders,alice\r\n'],
  ['a comma', 'a,b', 'alice', '"a,b",alice\r\n'],
  ['quotes', 'say "a"', 'alice', '"say ""a""",alice\r\n'],
  ['a line end', 'a\nb', 'c\r\nd', '"a\nb","c\r\nd"\r\n'],
  ['other scripts', 'ключ', '東京 🔑', 'ключ,東京 🔑\r\n'],
  ['nothing', null, '', ',\r\n'],
  ['a fact', true, 'x', 'true,x\r\n'],
  ['a formula', '=1+1', '+1', "'=1+1,'+1\r\n"],
  ['others that spreadsheets carry out', '-1', '@SUM(A1)', "'-1,'@SUM(A1)\r\n"],
  ['a formula in wide signs', '＝1＋1', '＠x', "'＝1＋1,'＠x\r\n"],
  ['a formula behind a tab or a line end', '\t=1', '\r=1', '\'\t=1,"\'\r=1"\r\n'],
  ['a formula in quotes', '=A1&","', 'x', '"\'=A1&"",""",x\r\n'],
  ['signs in the middle', 'a=b', 'c@d', 'a=b,c@d\r\n'],
])('%s', (_what, name, user, line) => {
  expect(lineOf(name, user)).toBe(line)
})

test('every cell is read back unchanged, except for the sign before a formula', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string(), (name, user) => {
      const read = cellsOf(lineOf(name, user))
      const expected = [name, user].map((text) => (/^[=+\-@\t\r\n＝＋－＠]/.test(text) ? `'${text}` : text))
      expect(read).toEqual([expected])
    }),
  )
})

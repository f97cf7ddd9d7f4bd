import { expect, test } from 'vitest'
import { traceOf } from '../../../../shared/http/request/trace-context.ts'

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const SPAN = '00f067aa0ba902b7'

test.each([
  ['version 00', `00-${TRACE}-${SPAN}-01`],
  ['a later version with more fields', `01-${TRACE}-${SPAN}-01-more`],
])('the trace of a caller is read from traceparent: %s', (_what, header) => {
  expect(traceOf(header)).toEqual({ id: TRACE, flags: '01', parent: SPAN })
})

test.each([
  ['absent', undefined],
  ['empty', ''],
  ['a trace of zeros', `00-${'0'.repeat(32)}-${SPAN}-01`],
  ['a span of zeros', `00-${TRACE}-${'0'.repeat(16)}-01`],
  ['capital letters', `00-${TRACE.toUpperCase()}-${SPAN}-01`],
  ['version ff', `ff-${TRACE}-${SPAN}-01`],
  ['more fields in version 00', `00-${TRACE}-${SPAN}-01-more`],
  ['a line break', `00-${TRACE}-${SPAN}-01\n`],
])('any other traceparent is ignored: %s', (_what, header) => {
  expect(traceOf(header)).toBeUndefined()
})

import { expect, test } from 'vitest'
import {
  countCall,
  directiveOf,
  DURATION,
  embedded,
  ERRORS,
  errorsOf,
  takeFigures,
} from '../../../shared/base/figures.ts'

const START = Date.parse('2026-05-04T03:02:01Z')

test('figures are returned once a minute, each call once, by either direction of the clock', () => {
  takeFigures(START) // resets the counts
  expect(takeFigures(START + 60_000)).toBeUndefined() // nothing was counted
  countCall('Create Key', '2xx', 4)
  countCall('Create Key', '2xx', 5.001)
  countCall('Create Key', '4xx', 11_000)
  countCall('encrypt', '2xx success', 0.25)
  expect(takeFigures(START + 59_999)).toBeUndefined()
  expect(takeFigures(START + 60_000)).toEqual([
    ['Create Key', { 'n|2xx': 2, 'n|4xx': 1, us: 11_009_001, 'b|0.005': 1, 'b|0.01': 1 }],
    ['encrypt', { 'n|2xx success': 1, us: 250, 'b|0.005': 1 }],
  ])
  countCall('encrypt', '2xx success', 1)
  expect(takeFigures(START + 60_001)).toBeUndefined()
  expect(takeFigures(START)).toEqual([['encrypt', { 'n|2xx success': 1, us: 1_000, 'b|0.005': 1 }]])
})

test('a 501 is no server error: the request asks for an unavailable feature', () => {
  expect([200, 429, 500, 501, 502, 503].map(errorsOf)).toEqual([0, 0, 1, 0, 1, 1])
})

test('the member of a line has the form of embedded metrics', () => {
  const directive = directiveOf({ dimensions: [['function']], metrics: [DURATION, ERRORS] })
  expect(JSON.parse(embedded(directive, START))).toEqual({
    Timestamp: START,
    CloudWatchMetrics: [
      {
        Namespace: 'keymgr',
        Dimensions: [['function']],
        Metrics: [
          { Name: 'ms', Unit: 'Milliseconds' },
          { Name: 'errors', Unit: 'Count' },
        ],
      },
    ],
  })
})

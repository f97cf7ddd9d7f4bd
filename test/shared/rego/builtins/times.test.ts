import { expect, test } from 'vitest'
import { NOW, answer } from './answer.ts'

const AT = '1585852421593912000' // 2020-04-02T18:33:41.593912Z

test.each([
  ['time.now_ns()', String(NOW)],
  ['time.parse_rfc3339_ns("2017-06-02T19:00:00-07:00")', '1496455200000000000'],
  ['time.parse_rfc3339_ns("2262-04-11T23:47:16.854775807-00:00")', '9223372036854775807'],
  [
    'time.parse_rfc3339_ns("2262-04-11T23:47:16.854775808-00:00")',
    'eval_builtin_error: time.parse_rfc3339_ns: time outside of valid range',
  ],
  ['time.parse_ns("RFC1123", "Mon, 02 Jan 2006 15:04:05 MST")', '1136214245000000000'],
  ['time.parse_ns("01/02/2006", "06/02/2017")', '1496361600000000000'],
  ['time.parse_ns("2006-01-02 15:04:05", "2020-02-29 01:02:03,5")', '1582938123500000000'],
  ['time.parse_ns("2006-002", "2020-366")', '1609372800000000000'],
  [
    'time.parse_ns("2006-01-02", "2021-02-29")',
    'eval_builtin_error: time.parse_ns: parsing time "2021-02-29": day out of range',
  ],
  [
    'time.parse_ns("2006-01-02", "2021-02-28x")',
    'eval_builtin_error: time.parse_ns: parsing time "2021-02-28x": extra text: "x"',
  ],
  [
    'time.parse_ns("2006", "x")',
    'eval_builtin_error: time.parse_ns: parsing time "x" as "2006": cannot parse "x" as "2006"',
  ],
  ['time.parse_duration_ns("1h2m3.5s")', '3723500000000'],
  ['time.parse_duration_ns("-1w1d")', '-691200000000000'],
  ['time.parse_duration_ns("1")', 'eval_builtin_error: time.parse_duration_ns: time: missing unit in duration "1"'],
  [
    'time.parse_duration_ns("1x")',
    'eval_builtin_error: time.parse_duration_ns: time: unknown unit "x" in duration "1x"',
  ],
  [`time.date(${AT})`, '[2020, 4, 2]'],
  ['time.date([1517814000000000000, "America/Los_Angeles"])', '[2018, 2, 4]'],
  [`time.clock([${AT}, "Asia/Kolkata"])`, '[0, 3, 41]'],
  [`time.weekday(${AT})`, '"Thursday"'],
  ['time.weekday(-1)', '"Wednesday"'],
  ['time.add_date(1580428800000000000, 0, 1, 0)', '1583107200000000000'],
  ['time.add_date([1585220400000000000, "Europe/Berlin"], 0, 0, 3)', '1585476000000000000'],
  ['time.add_date(0, 1000, 0, 0)', 'eval_builtin_error: time.add_date: time outside of valid range'],
  ['time.diff(1585852421593912000, 1517814000000000000)', '[2, 1, 25, 11, 33, 41]'],
  ['time.date([0, "Mars/Olympus"])', 'eval_builtin_error: time.date: unknown time zone Mars/Olympus'],
  ['time.date([0, "+01:00"])', 'eval_builtin_error: time.date: unknown time zone +01:00'],
  ['time.date([0, "europe/berlin"])', 'eval_builtin_error: time.date: unknown time zone europe/berlin'],
  ['time.date(9223372036854775808)', 'eval_builtin_error: time.date: timestamp too big'],
  [
    'time.date("a")',
    'eval_type_error: time.date: operand 1 must be either number (ns) or [number (ns), string (tz)] but got string',
  ],
])('%s is %s', async (expression, wanted) => {
  expect(await answer(expression)).toBe(wanted)
})

test.each([
  ['', '2020-04-02T14:33:41.593912-04:00'],
  ['ANSIC', 'Thu Apr  2 14:33:41 2020'],
  ['UnixDate', 'Thu Apr  2 14:33:41 EDT 2020'],
  ['RFC822Z', '02 Apr 20 14:33 -0400'],
  ['RFC850', 'Thursday, 02-Apr-20 14:33:41 EDT'],
  ['Jan _2 3:04pm .000 002', 'Apr  2 2:33pm .593 093'],
  ['2006-01-02T15:04:05.999999999Z07', '2020-04-02T14:33:41.593912-04'],
  ['Jane, Month', 'Jane, Month'],
])('a time in New York in the layout %s is %s', async (layout, wanted) => {
  expect(await answer(`time.format([${AT}, "America/New_York", "${layout}"])`)).toBe(JSON.stringify(wanted))
})

test('UTC is a Z, and a zone without letters shows its offset', async () => {
  expect(await answer('time.format([0, "UTC", "RFC3339"])')).toBe('"1970-01-01T00:00:00Z"')
  expect(await answer(`time.format([${AT}, "America/Sao_Paulo", "MST -07:00"])`)).toBe('"-03 -03:00"')
})

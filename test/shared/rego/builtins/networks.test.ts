import { expect, test } from 'vitest'
import { answer } from './answer.ts'

test.each([
  ['net.cidr_contains("10.0.0.0/8", "10.1.2.3")', 'true'],
  ['net.cidr_contains("10.0.0.0/8", "10.1.0.0/7")', 'false'],
  ['net.cidr_contains("2001:db8::/32", "2001:db8:1::/48")', 'true'],
  ['net.cidr_contains("10.0.0.0/8", "::ffff:10.0.0.1")', 'true'],
  ['net.cidr_contains("10.0.0.0/8", "::10.0.0.1")', 'false'],
  [
    'net.cidr_contains("10.0.0.0/33", "10.0.0.1")',
    'eval_builtin_error: net.cidr_contains: invalid CIDR address: 10.0.0.0/33',
  ],
  [
    'net.cidr_contains("10.0.0.0/8", "010.0.0.1")',
    'eval_builtin_error: net.cidr_contains: not a valid textual representation of an IP address or CIDR: 010.0.0.1',
  ],
  ['net.cidr_intersects("192.168.1.0/25", "192.168.1.64/25")', 'true'],
  ['net.cidr_contains_matches({"k": "1.1.1.0/24"}, ["1.1.1.1", ["1.1.2.1", "x"]])', '{["k", 0]}'],
  [
    'net.cidr_contains_matches("1.1.1.0/24", [[]])',
    'eval_builtin_error: net.cidr_contains_matches: operand 2: element must be string or non-empty array',
  ],
  ['net.cidr_expand("192.168.1.1/30")', '{"192.168.1.0", "192.168.1.1", "192.168.1.2", "192.168.1.3"}'],
  ['net.cidr_expand("2001:db8::1:0:0:ffff/127")', '{"2001:db8::1:0:0:fffe", "2001:db8::1:0:0:ffff"}'],
  ['net.cidr_is_valid("::/129")', 'false'],
  ['net.cidr_is_valid("1::2::3/64")', 'false'],
  ['net.cidr_is_valid("::ffff:1.2.3.4/120")', 'true'],
  ['net.cidr_merge(["192.0.2.112/31", "192.0.2.116/31", "192.0.2.118/31"])', '{"192.0.2.112/31", "192.0.2.116/30"}'],
  ['net.cidr_merge(["10.0.0.0/9", "10.128.0.0/9", "10.1.0.0/16"])', '{"10.0.0.0/8"}'],
  ['net.cidr_merge(["::/0", "fe80::1/128"])', '{"::/0"}'],
  ['net.cidr_merge(["::1"])', 'eval_builtin_error: net.cidr_merge: IPv6 invalid: needs prefix length'],
])('%s is %s', async (expression, wanted) => {
  expect(await answer(expression)).toBe(wanted)
})

test.each([
  [
    'HTTP://u:p@example.com:8080/a%20b?q=1#f%21',
    '{"fragment": "f!", "hostname": "example.com", "path": "/a b", "port": "8080", "raw_path": "/a b", "raw_query": "q=1", "scheme": "http"}',
  ],
  ['http://[::1]:80/', '{"hostname": "::1", "path": "/", "port": "80", "raw_path": "/", "scheme": "http"}'],
  ['mailto:a@b.c', '{"scheme": "mailto"}'],
  ['/a%2Fb', '{"path": "/a/b", "raw_path": "/a%2Fb"}'],
  ['http://exa%6dple.com/', 'eval_builtin_error: uri.parse: parse "http://exa%6dple.com/": invalid URL escape "%6d"'],
  ['http://a b/', 'eval_builtin_error: uri.parse: parse "http://a b/": invalid character " " in host name'],
  ['http://a:b/', 'eval_builtin_error: uri.parse: parse "http://a:b/": invalid port ":b" after host'],
  ['http://[::1/', 'eval_builtin_error: uri.parse: parse "http://[::1/": missing \']\' in host'],
  ['http://[fe80::1%25en0]/', '{"hostname": "fe80::1%en0", "path": "/", "raw_path": "/", "scheme": "http"}'],
  [
    'http://[1.2.3.4]/',
    'eval_builtin_error: uri.parse: parse "http://[1.2.3.4]/": invalid host: ParseAddr("1.2.3.4"): unable to parse IP',
  ],
  ['a:b:c/d', '{"scheme": "a"}'],
  ['1a:b', 'eval_builtin_error: uri.parse: parse "1a:b": first path segment in URL cannot contain colon'],
])('uri.parse("%s") is %s', async (uri, wanted) => {
  expect(await answer(`uri.parse("${uri}")`)).toBe(wanted)
  expect(await answer(`uri.is_valid("${uri}")`)).toBe(String(!wanted.startsWith('eval_')))
})

test('the empty text is no URI', async () => {
  expect(await answer('uri.is_valid("")')).toBe('false')
})

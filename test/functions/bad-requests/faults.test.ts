import { expect, test } from 'vitest'
import { jsonOf } from '../../support/raw.ts'
import { fieldsOf, GROUPS, KEYS, USERS, useRequests } from './requests.ts'

const { as, sent } = useRequests()

test.each([101, 80_000])('of %i faults 100 are named, with their number', async (count) => {
  const fields = Object.fromEntries(Array.from({ length: count }, (_, n) => [`x${n}`, 1]))
  const answer = await sent(JSON.stringify(fields))
  expect(answer.status).toBe(400)
  const body = jsonOf(answer)
  expect(body.errors).toHaveLength(100)
  expect(body.detail).toContain(`${count} faults in all`)
})

test.each([
  ['1e308', '{"size": 1e308}', ['#/size'], 422],
  ['20 digits', '{"size": 18446744073709551616}', [], 400],
  ['a fraction', '{"size": 256.5}', ['#/size'], 400],
  ['a number as a text', '{"size": "256"}', ['#/size'], 400],
  ['minus 0', '{"size": -0}', ['#/size'], 422],
  ['below all sizes', '{"size": -1}', ['#/size'], 422],
])('a size of %s is refused', async (_what, body, fields, status) => {
  const answer = await sent(body)
  expect(fieldsOf({ body: jsonOf(answer) })).toEqual(expect.arrayContaining(fields))
  expect(answer.status, answer.bytes.toString()).toBe(status)
})

test.each(['constructor', 'toString', 'hasOwnProperty', 'valueOf'])('%s is an unknown field', async (field) => {
  const refused = await as('POST', KEYS, { [field]: {} })
  expect(refused).toMatchObject({ status: 400, body: { errors: [{ pointer: `#/${field}` }] } })
})

test.each([
  ['NUL', 'a\u0000b'],
  ['a line feed', 'a\nb'],
  ['DEL', 'a\u007f'],
  ['a C1 control', 'a\u0085b'],
  ['<', 'a<b'],
  ['>', 'a>b'],
  ['a backslash', 'a\\b'],
  ['nothing', ''],
  ['256 characters', 'x'.repeat(256)],
])('a name with %s is refused: 422', async (_what, name) => {
  for (const [path, field, more] of [
    [KEYS, 'name', {}],
    [GROUPS, 'name', {}],
    [USERS, 'username', { password: 'Correct-horse-7' }],
    ['/v1/usermgmt/pwdpolicies', 'policy_name', {}],
  ] as const) {
    const refused = await as('POST', path, { [field]: name, ...more })
    expect(refused.status, path).toBe(422)
    expect(fieldsOf(refused), path).toEqual([`#/${field}`])
    expect(refused.body.detail).not.toContain(name === '' ? '\u0000' : name)
  }
})

test.each(['x'.repeat(255), '名前', 'a b', '👩‍💻', 'a:b', 'a.b', "a'b", '..', '%41'])(
  '%j is a valid name',
  async (name) => {
    const made = await as('POST', GROUPS, { name })
    expect(made.status, JSON.stringify(made.body)).toBe(201)
    expect(made.body.name).toBe(name)
  },
)

test.each<[string, string, unknown, number, string[]]>([
  ['two unknown fields', KEYS, { shoe: 1, 'a/b~c': 2 }, 400, ['#/a~1b~0c', '#/shoe']],
  ['an unknown field within', KEYS, { aliases: [{ alias: 'x', shoe: 1 }] }, 400, ['#/aliases/0/shoe']],
  ['wrong types within', KEYS, { labels: { a: 1 }, aliases: [{ alias: 'x' }, 7] }, 400, ['#/aliases/1', '#/labels/a']],
  ['what is missing', USERS, {}, 422, ['#/password', '#/username']],
  ['missing and unknown', USERS, { shoe: 1 }, 400, ['#/password', '#/shoe', '#/username']],
  ['null for a required field', GROUPS, { name: null }, 400, ['#/name']],
  ['a word that is none of the choices', KEYS, { state: 'Asleep', format: 'jpeg' }, 422, ['#/format', '#/state']],
  ['a choice of the wrong type', KEYS, { state: 7 }, 400, ['#/state']],
  [
    'rules between fields and faults of fields',
    KEYS,
    {
      activationDate: '2031-01-01T00:00:00Z',
      deactivationDate: '2030-01-01T00:00:00Z',
      password: 'p',
      rotationFrequencyDays: -1,
      name: '<',
    },
    422,
    ['#/deactivationDate', '#/name', '#/password', '#/rotationFrequencyDays'],
  ],
  [
    'rules between fields beside an unknown field',
    KEYS,
    { material: 'ff', emptyMaterial: true, shoe: 1, algorithm: 'rot13' },
    400,
    ['#/algorithm', '#/emptyMaterial', '#/shoe'],
  ],
  [
    'rules of a token request',
    '/v1/auth/tokens',
    { grant_type: 'device_code', renew_refresh_token: true, auth_domain: 'a', auth_domain_path: '/b' },
    422,
    ['#/auth_domain', '#/device_token', '#/renew_refresh_token'],
  ],
  ['a date without a time', KEYS, { activationDate: '2030-01-01' }, 422, ['#/activationDate']],
  ['a day that never was', KEYS, { activationDate: '2030-02-30T00:00:00Z' }, 422, ['#/activationDate']],
])('all faults are named at once: %s', async (_what, path, body, status, fields) => {
  const refused = await as('POST', path, body)
  expect(fieldsOf(refused), JSON.stringify(refused.body)).toEqual(fields)
  expect(refused.status).toBe(status)
  expect(refused.body.code).toBe(status === 400 ? 1 : 2)
})

test('faults of path, query and body are named together, and any in path or query makes it 400', async () => {
  const refused = await as('PATCH', '/v1/domains/not-an-id?colour=red', { allow_user_management: 'yes', name: '' })
  expect(refused.status).toBe(400)
  expect(fieldsOf(refused)).toEqual(['#/allow_user_management', '#/name', 'colour', 'id'])
  const ruleAndQuery = await as('POST', `${KEYS}?includeMaterial=perhaps`, { name: '<' })
  expect(ruleAndQuery.status).toBe(400)
  expect(fieldsOf(ruleAndQuery)).toEqual(['#/name', 'includeMaterial'])
})

test('an error has one form with all its members', async () => {
  const { status, body, headers } = await as('POST', KEYS, { size: 'x' })
  expect(status).toBe(400)
  expect(body).toEqual({
    type: 'urn:keymgr:problem:body-invalid',
    title: 'Bad Request',
    status: 400,
    detail: '#/size must be a number.',
    traceId: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
    code: 1,
    codeDesc: 'KMERRBadRequest: #/size must be a number.',
    errors: [{ pointer: '#/size', detail: 'must be a number' }],
  })
  expect(headers.get('content-type')).toBe('application/problem+json')
  expect(headers.get('x-request-id')).toBe(body.traceId)
  expect((await as('GET', KEYS)).headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
})

test('a refusal never repeats the input', async () => {
  const marker = 'repeat-me-not-7c1f'
  for (const answer of [
    await as('POST', KEYS, { size: marker, material: marker, state: marker, algorithm: marker }),
    await as('POST', USERS, { username: 'x', password: marker, email: marker }),
    await as('POST', '/v1/auth/tokens', { name: 'x', password: { marker } }),
    await as('GET', `${KEYS}?limit=${marker}&state=${marker}&sort=${marker}`),
    await as('GET', `/v1/domains/${marker}`),
    await as('POST', KEYS, `{"${marker}`),
  ]) {
    expect(answer.status).toBeGreaterThanOrEqual(400)
    expect(JSON.stringify(answer.body)).not.toContain(marker)
  }
})

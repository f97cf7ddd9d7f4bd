import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { ADA, BOB, ENDPOINTS, RESOURCE, refused, useKacls, type CallOptions } from './kacls.ts'

const kacls = useKacls()

const CAROL = 'carol@staff.example.test'
const CAROL_THERE = { email: CAROL, what: { email: 'carol@shop.example.test' } }
const KEY = randomBytes(32)
const PRIVILEGED = { allow_privileged_unwrap: true }

/** An endpoint with these rules, or the default ones, whose keys administrators may decrypt. */
async function withRules(...rules: string[]): Promise<any> {
  const endpoint = await kacls().create()
  await kacls().change(endpoint, PRIVILEGED)
  if (rules.length > 0) await kacls().setPerimeter(endpoint, ['package shop.perimeter', ...rules].join('\n\n') + '\n')
  return endpoint
}
const wraps = async (endpoint: any, options: CallOptions = {}) => (await kacls().wrap(endpoint, KEY, options)).status
const imports = (endpoint: any, options: CallOptions = {}, more: object = {}) =>
  kacls().privileged(endpoint, 'privilegedwrap', { key: KEY.toString('base64'), ...more }, options)
const exports = (endpoint: any, wrapped_key: string, options: CallOptions = {}) =>
  kacls().privileged(endpoint, 'privilegedunwrap', { wrapped_key }, options)

/** Statuses of the four calls by a user who is Ada in the suite. */
async function statuses(endpoint: any, email: string): Promise<Record<string, number>> {
  const who = { email, what: { email: ADA } }
  const blob = await kacls().wrapped(endpoint, KEY)
  return {
    wrap: await wraps(endpoint, who),
    unwrap: (await kacls().unwrap(endpoint, blob, who)).status,
    privilegedwrap: (await imports(endpoint, who)).status,
    takeout: (await exports(endpoint, blob, who)).status,
  }
}

const SAME = 'allow if lower(input.authentication.email) == lower(input.authorization.email)'
const TAKEOUT = 'allow if input.perimeter_id == "takeout"'
const IMPORT = 'allow if input.operation == "privilegedwrap"'

test('by default a user unwraps own resources, imports and exports', async () => {
  const endpoint = await withRules()
  const mine = { wrap: 200, unwrap: 200, privilegedwrap: 200, takeout: 200 }
  expect(await statuses(endpoint, ADA)).toEqual(mine)
  expect(await statuses(endpoint, BOB)).toEqual({ ...mine, wrap: 403, unwrap: 403 })
})

test('a list of users admits only these', async () => {
  const endpoint = await withRules(`allow if lower(input.authentication.email) in {"${ADA}"}`)
  expect([await wraps(endpoint), await wraps(endpoint, { email: BOB })]).toEqual([200, 403])
})

test('a domain can be excluded; the Workspace address precedes the other, and is absent without one', async () => {
  const endpoint = await withRules(
    'default allow := false',
    'address := input.authentication.workspace_email',
    'address := input.authentication.email if not input.authentication.workspace_email',
    'allow if not endswith(lower(address), "@bank.example.test")',
  )
  const eve = 'eve@bank.example.test'
  expect([await wraps(endpoint), await wraps(endpoint, { email: eve })]).toEqual([200, 403])
  const moved = { email: CAROL, who: { google_email: eve }, what: { email: eve } }
  expect([await wraps(endpoint, CAROL_THERE), await wraps(endpoint, moved)]).toEqual([200, 403])
  const without = await withRules('allow if not input.authentication.workspace_email')
  expect([await wraps(without), await wraps(without, CAROL_THERE)]).toEqual([200, 403])
  const named = await withRules('allow if input.authentication.google_email == "carol@shop.example.test"')
  expect([await wraps(named), await wraps(named, CAROL_THERE)]).toEqual([403, 200])
})

test('the policy sees all claims except the addresses, and the suite’s facts about the call', async () => {
  const endpoint = await withRules(`allow if {
	input.operation == "wrap"
	input.perimeter_id == ""
	input.authentication.email == "${ADA}"
	input.authentication.claims.aud == "workspace-client"
	input.authentication.claims.email_verified == true
	input.authentication.claims.groups[_] == "staff"
	not input.authentication.claims.email
	not input.authentication.claims.google_email
	object.keys(input) == {"authentication", "authorization", "operation", "perimeter_id"}
	input.authorization == {"email": "${ADA}", "role": "upgrader", "resource_name": "${RESOURCE}", "email_type": "google"}
}`)
  const staff = { who: { groups: ['people', 'staff'] }, what: { role: 'upgrader' } }
  expect([await wraps(endpoint, staff), await wraps(endpoint, { what: staff.what })]).toEqual([200, 403])
})

test('without its rule an export or import is refused', async () => {
  const noExport = await withRules(SAME, IMPORT)
  expect(await statuses(noExport, ADA)).toEqual({ wrap: 200, unwrap: 200, privilegedwrap: 200, takeout: 403 })
  const noImport = await withRules(SAME, TAKEOUT)
  expect(await statuses(noImport, ADA)).toEqual({ wrap: 200, unwrap: 200, privilegedwrap: 403, takeout: 200 })
})

test('the perimeter of exports is reserved: no token and no import can name it', async () => {
  const endpoint = await withRules('allow if input.operation in {"wrap", "privilegedwrap"}', TAKEOUT)
  const what = { perimeter_id: 'takeout' }
  expect(await kacls().wrap(endpoint, KEY, { what })).toEqual(refused(400))
  expect(await imports(endpoint, {}, what)).toEqual(refused(400))
  const delegated = { delegated_to: BOB, ...what }
  expect(await kacls().call(endpoint, 'delegate', {}, { what: delegated })).toEqual(refused(400))
  const blob = await kacls().wrapped(endpoint, KEY)
  expect(await kacls().unwrap(endpoint, blob, { what })).toEqual(refused(403))
  const usual = await withRules()
  const own = await kacls().wrapped(usual, KEY)
  expect((await kacls().unwrap(usual, own, { what })).status).toBe(200)
  expect((await kacls().unwrap(usual, own, { email: BOB, what: { ...what, email: ADA } })).status).toBe(403)
})

test('a perimeter that allows everything does not admit unknown callers', async () => {
  const endpoint = await withRules('allow := true')
  const blob = await kacls().wrapped(endpoint, KEY)
  const bad: Record<string, CallOptions> = {
    'another person': { email: BOB, what: { email: ADA } },
    'another role': { what: { role: 'signer' } },
    'another resource': { what: { resource_name: '//googleapis.com/drive/files/second' } },
    'another address': { what: { kacls_url: 'https://else.example.test' } },
    'a guest': { what: { email_type: 'google-visitor' } },
  }
  for (const [what, options] of Object.entries(bad))
    expect(await kacls().unwrap(endpoint, blob, options), what).toEqual(refused(403))
  expect((await kacls().unwrap(endpoint, blob)).status).toBe(200)
})

test('a text that does not compile is refused with its place, and the perimeter before it decides', async () => {
  const endpoint = await withRules(`allow if input.authentication.email == "${BOB}"`)
  const path = `${ENDPOINTS}/${endpoint.id as string}/perimeters`
  const { admin } = kacls().vault
  for (const method of ['PUT', 'PATCH']) {
    const { status, body } = await admin.call(method, path, JSON.stringify('package p\n\nallow if {\n\tx == \n}\n'))
    expect(status).toBe(422)
    expect(body.errors[0].detail).toMatch(/^line 5, column \d+: /)
  }
  kacls().letPass()
  expect([await wraps(endpoint), await wraps(endpoint, { email: BOB })]).toEqual([403, 200])
  const text = `package p\n\nallow if input.authentication.email == "${ADA}"\n`
  expect(await admin.ok('PATCH', path, JSON.stringify(text))).toBe(text)
  kacls().letPass()
  expect([await wraps(endpoint), await wraps(endpoint, { email: BOB })]).toEqual([200, 403])
})

test('an unwrap uses the perimeter that was sealed with the key, not the one of the token', async () => {
  const endpoint = await withRules(
    'allow if input.operation in {"wrap", "privilegedwrap"}',
    'allow if {\n\tinput.operation == "unwrap"\n\tinput.perimeter_id == "inside"\n}',
  )
  const [inside, outside] = [{ what: { perimeter_id: 'inside' } }, { what: { perimeter_id: 'outside' } }]
  const good = await kacls().wrapped(endpoint, KEY, inside)
  const bad = await kacls().wrapped(endpoint, KEY, outside)
  expect((await kacls().unwrap(endpoint, good, outside)).status).toBe(200)
  expect(await kacls().unwrap(endpoint, bad, inside)).toEqual(refused(403))
  const imported = await imports(endpoint, {}, { perimeter_id: 'inside' })
  expect((await kacls().unwrap(endpoint, imported.body.wrapped_key)).status).toBe(200)
})

test.each([
  ['undefined', 'allow if input.authentication.email == "nobody"', undefined],
  ['a text', 'allow := "true"', undefined],
  [
    'conflicting',
    'allow := true if input.operation\n\nallow := false if input.perimeter_id == ""',
    'eval_conflict_error',
  ],
  [
    'endless',
    'allow if {\n\tsome x in numbers.range(1, 100000)\n\tsome y in numbers.range(1, 100000)\n\tx * y == 0\n}',
    'eval_cancel_error',
  ],
  [
    'too large',
    'a := [x | some x in numbers.range(1, 1000000)]\n\nallow if count([1 | a[_]; a[_]]) > 0',
    'eval_cancel_error',
  ],
])('a decision that is %s refuses, and the record names the failure', async (_what, rule, code) => {
  const endpoint = await withRules(rule)
  expect(await kacls().wrap(endpoint, KEY)).toEqual(refused(403))
  const [line] = await kacls().lines(1, { endpoint: endpoint.id })
  expect(line).toMatchObject({ status: 403, rule: 'no allow' })
  expect(line.policyError).toBe(code)
  expect(line.policy).toMatch(/[0-9a-f]{16}/)
})

test('a perimeter takes effect within five seconds, without a restart', async () => {
  const endpoint = await withRules('allow := true')
  expect(await wraps(endpoint)).toBe(200)
  await kacls().setPerimeter(endpoint, 'package p\n\nallow := false\n')
  expect(await wraps(endpoint)).toBe(403)
})

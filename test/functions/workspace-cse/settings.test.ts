import { beforeAll, describe, expect, test } from 'vitest'
import { DEFAULT_PERIMETER } from '../../../shared/endpoints/kacls/perimeter-default.ts'
import { expectRefused } from '../vault/vault.ts'
import { useWorkspace, workspaceOf } from './workspace-cse.ts'

const { vault, provider } = useWorkspace()
const admin = () => vault().admin
let cse: ReturnType<typeof workspaceOf>
let endpoint: any
beforeAll(async () => {
  cse = workspaceOf(admin(), provider())
  endpoint = await cse.create()
})

const ONLY_ANN = `package p

default allow := false

allow if input.authentication.email == "ann@example.test"
`

describe('the perimeter', () => {
  test('is the default one until another is set, and is shown as a JSON string', async () => {
    const own = await cse.create()
    expect(await cse.part(own, 'perimeters')).toBe(DEFAULT_PERIMETER)
    const set = await cse.setPart(own, 'perimeters', ONLY_ANN)
    expect([set.status, set.body]).toEqual([200, ONLY_ANN])
    expect(set.headers.get('content-type')).toContain('application/json')
    expect(await cse.part(own, 'perimeters')).toBe(ONLY_ANN)
    const patched = await cse.setPart(own, 'perimeters', DEFAULT_PERIMETER, 'PATCH')
    expect([patched.status, patched.body]).toEqual([200, DEFAULT_PERIMETER])
    const records = await vault().records(`resource_uri=${own.uri as string}`)
    expect(records.slice(1).map(({ message }) => message)).toEqual(['Set KACLS Perimeter', 'Update KACLS Perimeter'])
    expect(records[1].details.after).toEqual({ perimeter: expect.stringMatching(/^[0-9a-f]{64}$/) })
    expect(JSON.stringify(records)).not.toContain('ann@')
  })

  test.each(['PUT', 'PATCH'])('is sent as it is written, by %s', async (method) => {
    const headers = { 'content-type': 'text/plain' }
    const set = await admin().call(method, cse.at(endpoint, '/perimeters'), ONLY_ANN, headers)
    expect([set.status, set.body]).toEqual([200, ONLY_ANN])
    expect((await admin().call(method, cse.at(endpoint, '/perimeters'), 'not rego', headers)).status).toBe(422)
  })

  test.each<[string, unknown, number, number]>([
    ['that does not compile', 'package p\n\nallow if {', 422, 2],
    ['that is unsafe', 'package p\n\nallow if x == 1', 422, 2],
    ['that is empty', '', 422, 2],
    ['of too many bytes', `package p\n# ${'a'.repeat(65_536)}`, 422, 2],
    ['that is no text', { rego: 'package p' }, 400, 1],
  ])('%s is refused, and the former one stays', async (_what, text, status, code) => {
    const own = await cse.create()
    await cse.setPart(own, 'perimeters', ONLY_ANN)
    expectRefused(await cse.setPart(own, 'perimeters', text, 'PATCH'), status, code, '#')
    expect(await cse.part(own, 'perimeters')).toBe(ONLY_ANN)
  })

  test('with a fault is refused with its line and column', async () => {
    const { body } = await cse.setPart(endpoint, 'perimeters', 'package p\n\nallow if startswith(')
    expect(body.errors[0].detail).toMatch(/^line 3, column \d+: /)
  })

  test('is changed by who saw it last', async () => {
    const own = await cse.create()
    const { headers } = await admin().call('GET', cse.at(own, '/perimeters'))
    const ifMatch = { 'if-match': headers.get('etag') ?? '' }
    const set = () => admin().call('PUT', cse.at(own, '/perimeters'), JSON.stringify(ONLY_ANN), ifMatch)
    expect((await set()).status).toBe(200)
    expect((await set()).status).toBe(412)
  })
})

describe('a trial of a perimeter', () => {
  const same = { authentication: { email: 'A@x.test' }, authorization: { email: 'a@x.test' }, operation: 'unwrap' }
  const attempt = (own: any, body: object) => admin().call('POST', cse.at(own, '/perimeters/test'), body)

  test('shows the decision and its rule', async () => {
    const own = await cse.create()
    expect((await attempt(own, { input: same })).body).toEqual({
      allowed: true,
      decided_by: { rule: 'allow', line: 11 },
      raw_policy: DEFAULT_PERIMETER,
    })
    const other = { ...same, authorization: { email: 'b@x.test' } }
    expect((await attempt(own, { input: other })).body).toMatchObject({
      allowed: false,
      decided_by: { rule: 'default allow', line: 3 },
    })
    expect((await attempt(own, { input: { ...other, perimeter_id: 'takeout' } })).body.allowed).toBe(true)
    expect((await attempt(own, { input: { operation: 'privilegedwrap' } })).body.allowed).toBe(true)
  })

  test('is of the text in the body, which is not stored', async () => {
    const own = await cse.create()
    const ann = { authentication: { email: 'ann@example.test', claims: { hd: 'example.test' } }, perimeter_id: '' }
    const tried = await attempt(own, { input: ann, perimeter: ONLY_ANN })
    expect(tried.body).toMatchObject({ allowed: true, raw_policy: ONLY_ANN })
    expect((await attempt(own, { input: ann })).body.allowed).toBe(false)
    expect(await cse.part(own, 'perimeters')).toBe(DEFAULT_PERIMETER)
    const records = await vault().records(`resource_uri=${own.uri as string}`)
    expect(records.map(({ message }) => message)).toEqual(['Create KACLS Endpoint'])
  })

  test.each<[string, object, string, number, number]>([
    ['no input', {}, '#/input', 422, 2],
    ['an operation nobody knows', { input: { operation: 'sign' } }, '#/input/operation', 422, 2],
    ['a member nobody knows', { input: { who: 'x' } }, '#/input/who', 400, 1],
    ['a text that does not compile', { input: {}, perimeter: 'allow' }, '#/perimeter', 422, 2],
  ])('with %s is refused', async (_what, body, pointer, status, code) => {
    expectRefused(await attempt(endpoint, body), status, code, pointer)
  })
})

const PRIVILEGED = 'privileged-unwrap-configuration'
const REWRAP = 'rewrap-configuration'
const PEER = 'https://old.example.test/api/v1/cse/e1'

describe('the services and users that an endpoint trusts', () => {
  test('are empty until they are set, and each PUT replaces them', async () => {
    const own = await cse.create()
    for (const part of [PRIVILEGED, REWRAP]) expect(await cse.part(own, part)).toEqual({ kacls_base_url: [] })
    expectRefused(await cse.setPart(own, PRIVILEGED, { kacls_base_url: [PEER] }), 409, 8)
    await cse.update(own, { allow_privileged_unwrap: true })
    const both = { kacls_base_url: [PEER], users: ['Ann@example.test', "o'hara+x@example.test"] }
    expect((await cse.setPart(own, PRIVILEGED, both)).body).toEqual(both)
    expect(await cse.part(own, PRIVILEGED)).toEqual(both)
    expect((await cse.setPart(own, PRIVILEGED, { users: [] })).body).toEqual({ kacls_base_url: [], users: [] })
    expect((await cse.setPart(own, PRIVILEGED, {})).body).toEqual({ kacls_base_url: [] })
    const peers = { kacls_base_url: [PEER, 'http://127.0.0.1:8080/api', 'https://other.example.test:8443'] }
    expect((await cse.setPart(own, REWRAP, peers)).body).toEqual(peers)
    expect(await cse.part(own, REWRAP)).toEqual(peers)
    const records = await vault().records(`resource_uri=${own.uri as string}`)
    expect(records.at(-1).details.after).toEqual({ rewrap: peers })
    expect(JSON.stringify(records)).not.toContain('Ann@')
  })

  const trusted = (member: unknown) => ({ kacls_base_url: [member] })
  test.each<[string, string, object, string, number, number]>([
    ['http', REWRAP, trusted('http://old.example.test'), '#/kacls_base_url/0', 422, 2],
    ['a slash at the end', REWRAP, trusted(`${PEER}/`), '#/kacls_base_url/0', 422, 2],
    ['a query', REWRAP, trusted(`${PEER}?x`), '#/kacls_base_url/0', 422, 2],
    ['a fragment', PRIVILEGED, trusted(`${PEER}#x`), '#/kacls_base_url/0', 422, 2],
    ['a user', PRIVILEGED, trusted('https://me@old.example.test/x'), '#/kacls_base_url/0', 422, 2],
    ['dots in its path', PRIVILEGED, trusted('https://old.example.test/a/../b'), '#/kacls_base_url/0', 422, 2],
    ['a host in upper case', PRIVILEGED, trusted('https://Old.example.test'), '#/kacls_base_url/0', 422, 2],
    ['a host with a wildcard', REWRAP, trusted('https://*.example.test'), '#/kacls_base_url/0', 422, 2],
    ['too many services', REWRAP, { kacls_base_url: Array(21).fill(PEER) }, '#/kacls_base_url', 422, 2],
    ['no list', REWRAP, {}, '#/kacls_base_url', 422, 2],
    ['a wildcard', PRIVILEGED, { users: ['*@example.test'] }, '#/users/0', 422, 2],
    ['no mail address', PRIVILEGED, { users: ['ann'] }, '#/users/0', 422, 2],
    ['a look-alike', PRIVILEGED, { users: ['аnn@example.test'] }, '#/users/0', 422, 2],
    ['too many users', PRIVILEGED, { users: Array(201).fill('a@b.c') }, '#/users', 422, 2],
    ['users to migrate from', REWRAP, { ...trusted(PEER), users: [] }, '#/users', 400, 1],
  ])('are refused with %s', async (_what, part, body, pointer, status, code) => {
    expectRefused(await cse.setPart(endpoint, part, body), status, code, pointer)
  })
})

import { createLocalJWKSet, jwtVerify } from 'jose'
import { beforeAll, expect, test } from 'vitest'
import { verifyProof } from '../../../clients/verify/proof.ts'
import { leafOf } from '../../../shared/audit/platform-record.ts'
import { provesConsistency, provesInclusion } from '../../../shared/crypto/merkle/proofs.ts'
import { useService } from '../../support/service.ts'

const service = useService()
let token = ''
const hex = (text: string): Buffer => Buffer.from(text, 'hex')
const get = (path: string) => service().call('GET', `/v1/audit${path}`, { token })
const fire = (trigger: 'drain-outbox' | 'sign-heads') => service().deployment.fire(trigger)

/** Creates keys, and a signed head over their records. @returns the size of its tree */
async function grow(...names: string[]): Promise<number> {
  for (const name of names) await service().call('POST', '/v1/vault/keys2', { token, body: { name } })
  await fire('drain-outbox')
  expect(await fire('sign-heads')).toEqual({ signed: 1 })
  return (await get('/heads?limit=1')).body.resources[0].size as number
}

let [first, second] = [0, 0]
beforeAll(async () => {
  token = await service().logIn()
  first = await grow('one', 'two', 'three')
  service().deployment.clock.advance(60_000)
  second = await grow('four')
  token = await service().logIn()
})

const newest = async () => (await get('/records?message=Create%20Key&sort=-createdAt&limit=10')).body.resources

test('heads are listed, newest first, and signed with a key of the domain', async () => {
  const { status, body } = await get('/heads?limit=1')
  expect(status).toBe(200)
  expect(body).toMatchObject({ skip: 0, limit: 1, total: 2, resources: [{ size: second }] })
  const before = (await get('/heads?skip=1')).body
  expect(before.resources.map(({ size }: { size: number }) => size)).toEqual([first])
  expect((await get('/heads?skip=2')).body).toMatchObject({ total: 2, resources: [] })
  const keys = createLocalJWKSet((await get('/heads/jwks.json')).body)
  const { payload, protectedHeader } = await jwtVerify(body.resources[0].jws, keys)
  const { size, root, createdAt } = body.resources[0]
  expect(protectedHeader).toMatchObject({ alg: 'ES256', typ: 'audit-tree-head+jwt' })
  expect(payload).toMatchObject({ size, root, time: createdAt, domain: (await newest())[0].domain })
  expect(await fire('sign-heads')).toMatchObject({ signed: 0 }) // all new records are still outside of the log
})

test('heads are sorted and narrowed like every list', async () => {
  const sizes = async (query: string) =>
    (await get(`/heads?${query}`)).body.resources.map(({ size }: { size: number }) => size)
  const [{ createdAt, root }, { root: former }] = (await get('/heads')).body.resources
  expect(await sizes('sort=size')).toEqual([first, second])
  expect(await sizes('sort=createdAt&skip=1')).toEqual([second])
  expect(await sizes('sort=-size')).toEqual([second, first])
  expect(await sizes('sort=root')).toEqual(root < former ? [second, first] : [first, second])
  expect(await sizes(`createdAfter=${createdAt}`)).toEqual([second])
  expect(await sizes(`createdBefore=${createdAt}`)).toEqual([first])
  expect(await sizes('createdAfter=2999-01-01T00:00:00Z')).toEqual([])
})

test('every head is put on the bus once', () => {
  const heads = service()
    .deployment.events()
    .filter(({ 'detail-type': type }) => type === 'Audit Tree Head')
  expect(heads.map(({ detail }) => detail.size)).toEqual([first, second])
  expect(heads[0]?.source).toBe('keymgr.audit')
})

test('a record is proven in the tree of a head', async () => {
  const records = await newest()
  for (const record of records) {
    const { status, body } = await get(`/proofs/inclusion?record=${record.id}`)
    expect(status).toBe(200)
    const { position, leaf, tree, path } = body
    expect(leaf).toBe(leafOf(record).toString('hex'))
    const claim = { index: position, size: tree.size, leaf: leafOf(record), root: hex(tree.root) }
    expect(provesInclusion(claim, path.map(hex))).toBe(true)
    const altered = leafOf({ ...record, username: 'eve' })
    expect(provesInclusion({ ...claim, leaf: altered }, path.map(hex))).toBe(false)
    expect(tree.size).toBe(second)
    expect(tree.head).toBe((await get('/heads?limit=1')).body.resources[0].jws)
  }
  const oldest = records.at(-1).id as string
  const { body } = await get(`/proofs/inclusion?record=${oldest}&size=${first}`)
  expect(body.tree).toMatchObject({ size: first, head: expect.any(String) })
})

test('a proof is checked offline, with the keys of the domain alone', async () => {
  const keys = (await get('/heads/jwks.json')).body
  const record = (await newest()).at(-1).id as string
  const bySize = await get(`/proofs/inclusion?record=${record}&size=${first - 1}`)
  expect(bySize.body.tree.head).toBeUndefined()
  for (const { body } of [await get(`/proofs/inclusion?record=${record}`), bySize]) {
    const check = verifyProof(JSON.stringify(body), keys)
    expect(check).toMatchObject({ isProven: true, faults: [], record: { action: 'Create Key', meta: { id: record } } })
    const bytes = Buffer.from(body.record_bytes, 'base64').toString()
    const altered = Buffer.from(bytes.replace('Create Key', 'Delete Key')).toString('base64')
    for (const [change, fault] of [
      [{ record_bytes: altered }, 'altered'],
      [{ record: '00000000-0000-7000-8000-000000000009' }, 'not those of the record'],
      [{ position: Number(body.position) + 1 }, 'not in the tree'],
      [{ path: [...body.path, body.leaf] }, 'not in the tree'],
      [{ tree: { ...body.tree, head: undefined }, signed: undefined }, 'No signed head'],
      [{ tree: { ...body.tree, head: `${(await get('/heads?limit=1')).body.resources[0].jws}x` } }, 'head'],
    ] as const)
      expect(verifyProof(JSON.stringify({ ...body, ...change }), keys), fault).toMatchObject({
        isProven: false,
        faults: [expect.stringContaining(fault)],
      })
  }
  const { body } = await get(`/proofs/inclusion?record=${record}`)
  expect(verifyProof(JSON.stringify(body), { keys: [] }).isProven).toBe(false)
})

test('a tree is proven to begin with a former one', async () => {
  const { status, body } = await get(`/proofs/consistency?from=${first}`)
  expect(status).toBe(200)
  const [from, to] = [body.from, body.to].map(({ size, root }) => ({ size, root: hex(root) }))
  expect([from?.size, to?.size]).toEqual([first, second])
  expect(provesConsistency(from as never, to as never, body.path.map(hex))).toBe(true)
  const same = (await get(`/proofs/consistency?from=${first}&to=${first}`)).body
  expect(same.path).toEqual([])
})

test.each([
  ['/proofs/inclusion', 400, 'record'],
  ['/proofs/inclusion?record=x', 400, 'record'],
  ['/proofs/inclusion?record=00000000-0000-7000-8000-000000000009', 404, 'record'],
  ['/proofs/consistency', 400, 'from'],
  ['/proofs/consistency?from=0', 400, 'from'],
  ['/proofs/consistency?from=100000', 400, 'from'],
  ['/proofs/consistency?from=2&to=1', 400, 'to'],
  ['/proofs/consistency?from=1&to=100000', 400, 'to'],
  ['/heads?sort=domain', 400, 'sort'],
  ['/heads?domain=elsewhere', 404, 'domain'],
  ['/heads/jwks.json?domain=elsewhere', 404, 'domain'],
  ['/proofs/consistency?from=1&domain=elsewhere', 404, 'domain'],
])('%s is refused: %i', async (path, status, parameter) => {
  const refused = await get(path)
  expect(refused.status, JSON.stringify(refused.body)).toBe(status)
  expect(refused.body.errors.map((each: { parameter: string }) => each.parameter)).toEqual([parameter])
})

test('a record that is not in the tree yet, or a size before it, has no proof', async () => {
  await service().call('POST', '/v1/vault/keys2', { token, body: { name: 'five' } })
  const [record] = await newest()
  const waiting = await get(`/proofs/inclusion?record=${record.id}`)
  expect(waiting.status).toBe(404)
  await fire('drain-outbox')
  const { body } = await get(`/proofs/inclusion?record=${record.id}`)
  expect(body.tree.size).toBeGreaterThan(second) // the present tree, which has no head yet
  expect(body.tree.head).toBeUndefined()
  const early = await get(`/proofs/inclusion?record=${record.id}&size=${second}`)
  expect(early.status).toBe(400)
  expect((await service().call('GET', '/v1/audit/heads')).status).toBe(401)
})

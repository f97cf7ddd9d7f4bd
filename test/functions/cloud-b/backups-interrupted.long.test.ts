import { beforeAll, expect, test } from 'vitest'
import { CLOUD_B, SUBSCRIPTION, VAULT } from './cloud-b.ts'
import { useDeaths, type DiesAt } from './deaths.ts'
import { atCloud } from './other-people.ts'

/**
 * The process dies at each call of a restore in turn, after the call has taken effect and before its answer arrives.
 * Then the same request is repeated, or the sweeper runs: every version exists and is recorded once.
 */
const tests = useDeaths()

const KINDS = {
  key: { named: 'key_name', param: { kty: 'EC' } },
  secret: { named: 'secret_name', param: { value: 'the value' } },
  certificate: {
    named: 'cert_name',
    param: {
      policy: { issuer: { name: 'Self' }, key_props: { kty: 'EC' }, x509_props: { subject: 'CN=shop.example' } },
    },
  },
} as const
type Kind = keyof typeof KINDS

const SPARE = 'shop-spare'

beforeAll(async () => {
  const vaults = [{ name: VAULT }, { name: SPARE }]
  await ok('POST', `${CLOUD_B}/add-vaults`, { connection: 'main', subscription_id: SUBSCRIPTION, vaults })
})

const ok = (method: string, path: string, body?: unknown): Promise<any> => tests().admin.ok(method, path, body)

let runs = 0

/** An item of two versions with a backup, permanently deleted. */
async function lost(kind: Kind, name: string): Promise<any> {
  const { named, param } = KINDS[kind]
  const body = { [named]: name, key_vault: VAULT, cloud_b_param: param }
  await ok('POST', `${CLOUD_B}/${kind}s`, body)
  tests().deployment.clock.advance(1_000) // versions of the same second have no order
  const item = await ok('POST', `${CLOUD_B}/${kind}s`, body)
  for (const tail of ['backups', 'soft-delete', 'hard-delete'])
    await ok('POST', `${CLOUD_B}/${kind}s/${item.id}/${tail}`, tail === 'backups' ? {} : undefined)
  return item
}

/** One death, one recovery, and the resulting state. @returns whether the process died at all */
async function once(kind: Kind, target: string, at: DiesAt, n: number): Promise<boolean> {
  const { admin, deployment, interrupted } = tests()
  const name = `run-${++runs}`
  const item = await lost(kind, name)
  const family = `${CLOUD_B}/${kind}s`
  const body = { key_vault: target }
  const ask = () => admin.call('POST', `${family}/${item.id}/restore`, body, { 'idempotency-key': name })
  const { died, last, told } = await interrupted(ask, { at, n })
  expect(last, told).toMatchObject({ status: 200, body: { status: 'ACTIVE', version: item.version, is_latest: true } })
  expect((await atCloud(deployment.cloudB, target, 'GET', `/${kind}s/${name}/versions`)).value, told).toHaveLength(2)
  const { resources } = await ok('GET', `${family}?${KINDS[kind].named}=${name}&key_vault=${target}`)
  expect(
    resources.map(({ status }: any) => status),
    told,
  ).toEqual(['ACTIVE', 'ACTIVE'])
  expect(
    resources.filter(({ is_latest }: any) => is_latest),
    told,
  ).toHaveLength(1)
  return died
}

test.each([
  ['key', SPARE, 'cloud-b'],
  ['key', VAULT, 'table'],
  ['secret', SPARE, 'table'],
  ['certificate', VAULT, 'cloud-b'],
] as const)(
  'a restore of a %s into %s that dies at any call to %s is done once in the end',
  (kind, target, at) => tests().atEvery((n) => once(kind, target, at, n)),
  120_000,
)

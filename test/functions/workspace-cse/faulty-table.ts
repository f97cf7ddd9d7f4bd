import { afterAll, beforeAll, beforeEach, expect } from 'vitest'
import { ROOT_DOMAIN_ID } from '../../../shared/base/ids.ts'
import { KACLS_OWNER } from '../../../shared/endpoints/kacls/store.ts'
import { itemKey } from '../../../shared/store/layout.ts'
import { getItem } from '../../../shared/store/table.ts'
import { startBehindProxy, type BehindProxy } from '../../support/behind-proxy.ts'
import { pointProcessAt } from '../../support/own-process.ts'
import { ENDPOINTS, KaclsTests } from '../kacls/kacls.ts'
import { pathOf, vaultOf } from '../vault/vault.ts'
import { startProvider, type Provider } from './workspace-cse.ts'

/** A deployment whose table can be made to fail, and an identity provider. */
export interface FaultyTable {
  readonly kacls: KaclsTests
  readonly provider: Provider
  readonly proxy: BehindProxy['proxy']
  readonly named: (list: string, name: string) => Promise<any[]>
  readonly versionsOf: (key: string) => Promise<any[]>
  /** number of local keys */
  readonly keys: () => Promise<number>
  /** whether the data plane finds the endpoint's domain */
  readonly isLedTo: (endpoint: any) => Promise<boolean>
  /**
   * Expects that an endpoint exists once, with this number of versions of its key, each with a signing key, and that it
   * answers calls.
   */
  readonly expectServes: (name: string, versions: number) => Promise<void>
}

function testsOf({ service, proxy }: BehindProxy, provider: Provider): FaultyTable {
  const kacls = new KaclsTests(vaultOf(service))
  const { admin } = kacls.vault
  const named = async (list: string, name: string): Promise<any[]> =>
    (await admin.ok('GET', `${list}?name=${name}`)).resources
  const versionsOf = async (key: string): Promise<any[]> => (await admin.ok('GET', pathOf(key, '/versions'))).resources
  return {
    kacls,
    provider,
    proxy,
    named,
    versionsOf,
    keys: async () => (await admin.list('?limit=1')).total as number,
    isLedTo: async ({ id }) => (await getItem(itemKey(ROOT_DOMAIN_ID, KACLS_OWNER, id as string))) !== undefined,
    expectServes: async (name, versions) => {
      const [endpoint, ...others] = await named(ENDPOINTS, name)
      expect(others).toEqual([])
      expect(endpoint.kek_version).toBe(String(versions - 1))
      expect(await versionsOf(endpoint.kekName as string)).toHaveLength(versions)
      kacls.letPass()
      expect((await kacls.get(endpoint, 'certs')).body.keys).toHaveLength(versions)
      const blob = await kacls.wrapped(endpoint)
      expect((await kacls.unwrap(endpoint, blob)).status).toBe(200)
    },
  }
}

/** One deployment per file. Each test removes its faults. */
export function useFaultyTable(): () => FaultyTable {
  let started: BehindProxy | undefined
  let tests: FaultyTable | undefined
  beforeAll(async () => {
    const [behind, provider] = await Promise.all([startBehindProxy(), startProvider()])
    started = behind
    pointProcessAt(behind.service.deployment.environmentOf('triggers'))
    tests = testsOf(behind, provider)
    await tests.kacls.issuer()
  })
  afterAll(async () => {
    tests?.provider.stop()
    await started?.stop()
  })
  beforeEach(() => started?.proxy.reset())
  return () => {
    if (tests === undefined) throw new Error('The deployment starts with the tests')
    return tests
  }
}

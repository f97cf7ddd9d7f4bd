import type { KeyObject } from 'node:crypto'
import { serveHttp } from '../toolkit/loopback.ts'
import { createRequestLog } from '../toolkit/request-log.ts'
import { controls, type Controls } from '../toolkit/controls.ts'
import type { Simulator, SimulatorSetting } from '../toolkit/simulator.ts'
import type { Certificate } from '../toolkit/x509.ts'
import { ACCOUNT_SEEDS, accountOf, platformAccountOf } from './accounts/accounts.ts'
import type { AccountSeed, SimulatedAccount, SimulatedRole } from './accounts/accounts.ts'
import { backstage, type Backstage } from './backstage.ts'
import { createClientAuthority } from './key-stores/client-authority.ts'
import { createClusters, type ClusterChange, type SimulatedCluster } from './accounts/clusters.ts'
import { createFaults, type CloudFault, type SimulatedCall } from './wire/faults.ts'
import { answer, type House } from './wire/front-door.ts'
import { openProxyConnections } from './key-stores/proxy-connection.ts'
import { createRateLimiter, type Rates } from './wire/rates.ts'
import { seedKeys, type SeedKey } from './state/seeding.ts'
import { openState } from './state/state.ts'
import type { Delays } from './state/cloud-state.ts'
import { createTrail, seedTrail, type SeedEvent } from './logs/trail.ts'
import { anywhereIdentityOf, certifyBy, type AnywhereIdentity } from './authentication/trust-anchors.ts'

export type { SimulatedAccount, SimulatedRole } from './accounts/accounts.ts'
export type { KeyChange, SimulatedKeyView } from './backstage.ts'
export type { ClusterChange, SimulatedCluster } from './accounts/clusters.ts'
export type { CloudFault, SimulatedCall } from './wire/faults.ts'
export type { HostAddress } from '../toolkit/simulator.ts'
export type { SeedKey } from './state/seeding.ts'
export type { SeedEvent } from './logs/trail.ts'

/** A cloud with several accounts, in the regions of three partitions. All its services are on one port. */
export interface CloudASimulator extends Backstage, Controls<CloudFault, SimulatedCall>, Simulator {
  readonly accounts: readonly SimulatedAccount[]
  /** The role in the account of the deployment's functions, which only they may assume; absent without `platform`. */
  readonly serviceRole?: SimulatedRole
  /**
   * Adds keys without requests, 100,000 in about a second. @returns their ids, the same for the same place and number
   */
  readonly seed: (options: {
    account: string
    region: string
    count: number
    describe?: (n: number) => SeedKey
  }) => readonly string[]
  /** Adds entries about keys to a trail, without requests. */
  readonly seedTrail: (options: {
    account: string
    region: string
    count: number
    describe: (n: number) => SeedEvent
  }) => void
  /** Calls per second by operation, for each account and region. Initially off. */
  readonly setRates: (rates: 'off' | 'real' | Rates) => void
  /** Number of reads until a change becomes visible. Initially new keys are visible at once. */
  readonly setDelays: (delays: Partial<Delays>) => void
  /** Hardware clusters, with the secrets that a key store needs. */
  readonly clustersIn: (account: string, region: string) => readonly SimulatedCluster[]
  readonly alterCluster: (account: string, region: string, id: string, change: ClusterChange) => void
  /**
   * A certificate, its key and the ARNs that accept it, for a role of an account. @throws Error for an account without
   * one
   */
  readonly anywhereIdentityOf: (account: string) => AnywhereIdentity
  /** Issues a certificate of an account's trust anchor for a key. @returns PEM */
  readonly certify: (
    account: string,
    publicKey: KeyObject,
    content?: Partial<Omit<Certificate, 'issuer' | 'names'>>,
  ) => string
  /** PEM of the issuer of the client certificates that the cloud presents to external key stores. */
  readonly proxyClientAuthority: string
}

/**
 * Starts the simulated cloud on loopback.
 * @param options.file stores all keys, with their material; default: in memory only
 * @param options.port default: any free one
 * @param options.resolve real addresses of external key stores' hosts; without it no host is found
 * @param options.proxyTimeoutMs time limit of the cloud for a request to a proxy; default: 250
 */
export async function startCloudA(
  options: Partial<SimulatorSetting> &
    Pick<SimulatorSetting, 'clock'> & { port?: number; accounts?: readonly AccountSeed[] },
): Promise<CloudASimulator> {
  const accounts = (options.accounts ?? ACCOUNT_SEEDS).map(accountOf)
  const state = openState(options)
  const rates = createRateLimiter(state.now)
  const authority = createClientAuthority()
  const proxies = openProxyConnections({
    resolve: options.resolve ?? (() => undefined),
    authority,
    now: state.now,
    ...(options.proxyTimeoutMs !== undefined && { timeoutMs: options.proxyTimeoutMs }),
  })
  const platform = options.platform && platformAccountOf(options.platform)
  const byId = new Map([...accounts, ...(platform ? [platform] : [])].map((account) => [account.id, account]))
  const house: House = {
    state,
    accounts: byId,
    clusters: createClusters(byId),
    proxies,
    trail: createTrail(),
    faults: createFaults(),
    rates,
    log: createRequestLog(),
  }
  const { endpoint, stop } = await serveHttp((request) => answer(house, request), { port: options.port })
  return {
    endpoint,
    accounts,
    ...(platform?.roles[0] && { serviceRole: platform.roles[0] }),
    ...controls(house),
    seed: (seeds) => seedKeys(state, seeds),
    seedTrail: (seeds) => seedTrail(house.trail, seeds),
    ...backstage(state),
    setRates: rates.set,
    setDelays: state.setDelays,
    clustersIn: house.clusters.in,
    alterCluster: house.clusters.alter,
    anywhereIdentityOf: (id) => {
      const account = byId.get(id)
      const identity = account && anywhereIdentityOf(account, state.trustOf(id))
      if (identity === undefined) throw new Error(`The account ${id} gives no role for a certificate.`)
      return identity
    },
    certify: (account, publicKey, content = {}) => certifyBy(state.trustOf(account), publicKey, content),
    proxyClientAuthority: authority.anchor,
    stop: async () => {
      await stop()
      proxies.close()
      state.close()
    },
  }
}

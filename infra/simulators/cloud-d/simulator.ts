import { controls, type Controls } from '../toolkit/controls.ts'
import { serveHttp } from '../toolkit/loopback.ts'
import { createRequestLog } from '../toolkit/request-log.ts'
import type { Simulator, SimulatorSetting } from '../toolkit/simulator.ts'
import { backstage, type Backstage } from './backstage.ts'
import { createDirectory, type SimulatedTenancy, type SimulatedUser } from './directory/directory.ts'
import { createDomains, type Domain } from './domains/domains.ts'
import { openExternalManagers } from './external/external-managers.ts'
import { seededVault, STANDARD_SEED, type CloudDSeed } from './state/seed.ts'
import { seedKeys, type CloudDSeedKey } from './state/seeding.ts'
import { openState, type CloudState, type Delays } from './state/state.ts'
import { isObject } from './wire/body.ts'
import { createFaults, type CloudDCall, type CloudDFault } from './wire/faults.ts'
import { answer, type House } from './wire/front-door.ts'
import { createRateLimiter, type Rates } from './wire/rates.ts'
import { createRetryTokens } from './wire/retry-tokens.ts'
import type { Reply } from './wire/reply.ts'
import { fingerprintOf } from './wire/signatures.ts'

export type { CloudDKeyChange, SimulatedKeyView, SimulatedVaultView, SimulatedVersionView } from './backstage.ts'
export { BANK, SHOP, SHOP_COMPARTMENTS, type SimulatedTenancy } from './directory/directory.ts'
export type { Domain, DomainToken } from './domains/domains.ts'
export type { CloudDSeed, CloudDSeedVault } from './state/seed.ts'
export type { CloudDSeedKey } from './state/seeding.ts'
export type { CloudDCall, CloudDFault } from './wire/faults.ts'

/** API key of a user, as in a configuration of the cloud's tools. */
export interface CloudDCredentials {
  readonly tenancyId: string
  readonly userId: string
  readonly userName: string
  readonly fingerprint: string
  /** PKCS #8 in PEM */
  readonly privateKey: string
  /** The tenancy's home region. */
  readonly region: string
}

/**
 * A cloud with several tenancies. All its hosts are on one port, each below a path: `/kms/<region>`,
 * `/identity/<region>`, `/objectstorage/<region>`, `/audit/<region>`, `/domains/<tenancy>` and the addresses of vaults.
 */
export interface CloudDSimulator extends Backstage, Controls<CloudDFault, CloudDCall>, Simulator {
  readonly tenancies: readonly SimulatedTenancy[]
  /** Valid API keys. The user of the first one may manage everything in its tenancy. */
  readonly credentials: readonly [CloudDCredentials, ...CloudDCredentials[]]
  /** Adds keys without requests. @returns their ids, the same for the same numbers */
  readonly seed: (vaultId: string, count: number, describe?: (n: number) => CloudDSeedKey) => readonly string[]
  /** Identity domains, one for each tenancy. */
  readonly domains: readonly Domain[]
  /** Limits requests per second of a tenancy. Initially off. */
  readonly setRates: (rates: 'off' | 'real' | Rates) => void
  readonly setDelays: (delays: Partial<Delays>) => void
}

async function credentialsOf(
  state: CloudState,
  { id, homeRegion }: SimulatedTenancy,
  user: SimulatedUser,
): Promise<CloudDCredentials> {
  const key = await state.userKey(user.id)
  return {
    tenancyId: id,
    userId: user.id,
    userName: user.name,
    fingerprint: fingerprintOf(key),
    privateKey: key.export({ format: 'pem', type: 'pkcs8' }).toString(),
    region: homeRegion,
  }
}

/** Whether an answer describes a key that is deleted. */
function isDeleted(state: CloudState, { body }: Reply): boolean {
  const id = isObject(body) && typeof body.id === 'string' ? body.id : ''
  const key = state.key(id)
  return id.startsWith('ocid1.key.') && (key === undefined || key.state === 'DELETED')
}

/**
 * Starts the simulated cloud on loopback.
 * @param options.file stores the state, with key material; default: in memory only
 * @param options.port default: any free one
 * @param options.resolve resolves hosts of external key managers; default: only loopback is reachable
 * @param options.seed initial state; default: `STANDARD_SEED`
 */
export async function startCloudD(
  options: Pick<SimulatorSetting, 'clock' | 'file'> &
    Partial<Pick<SimulatorSetting, 'resolve'>> & { port?: number; seed?: CloudDSeed },
): Promise<CloudDSimulator> {
  const { tenancies, vaults } = options.seed ?? STANDARD_SEED
  const state = openState(options)
  for (const vault of vaults.map(seededVault)) if (state.vault(vault.id) === undefined) state.saveVault(vault)
  const rates = createRateLimiter(state.now)
  const domains = createDomains(tenancies, () => endpoint, state.now)
  const managers = openExternalManagers({ resolve: options.resolve ?? (() => undefined), domains })
  const house: House = {
    state,
    directory: createDirectory(tenancies),
    domains,
    managers,
    faults: createFaults(),
    rates,
    retryTokens: createRetryTokens(state.now, (reply) => isDeleted(state, reply)),
    log: createRequestLog(),
    endpoint: () => endpoint,
  }
  const { endpoint, stop } = await serveHttp((request) => answer(house, request), { port: options.port })
  const [first, ...others] = await Promise.all(
    tenancies.flatMap((tenancy) => tenancy.users.map((user) => credentialsOf(state, tenancy, user))),
  )
  if (first === undefined) throw new Error('A simulated cloud needs a user.')
  return {
    endpoint,
    tenancies,
    credentials: [first, ...others],
    ...controls(house),
    seed: (vaultId, count, describe) => seedKeys(state, vaultId, count, describe),
    ...backstage(state),
    domains: domains.all(),
    setRates: rates.set,
    setDelays: state.setDelays,
    stop: async () => {
      await stop()
      managers.close()
      state.close()
    },
  }
}

import { controls, type Controls } from '../toolkit/controls.ts'
import { serveHttp } from '../toolkit/loopback.ts'
import { openOutbound } from '../toolkit/outbound.ts'
import { createRequestLog } from '../toolkit/request-log.ts'
import type { Simulator, SimulatorSetting } from '../toolkit/simulator.ts'
import { backstage, type Backstage } from './backstage.ts'
import { openAuthority } from './hyok/authority.ts'
import { createStores } from './hyok/stores.ts'
import { STANDARD_TENANTS, type SimulatedTenant } from './login/directory.ts'
import { createTokens } from './login/tokens.ts'
import { openState } from './state/state.ts'
import { createFaults, type DatacustCall, type DatacustFault } from './wire/faults.ts'
import { answer, type House } from './wire/front-door.ts'
import { createRateLimit, type RateLimit } from './wire/rates.ts'

export type { DatacustKeyChange, DatacustSeedKey, SimulatedKeyView } from './backstage.ts'
export type { ClientCertificate } from './hyok/authority.ts'
export { exerciseKey } from './hyok/exercise.ts'
export type { Sealed, StoreAddress, StoreClient, StoreKeyMetadata } from './hyok/store-client.ts'
export { StoreFault } from './hyok/store-fault.ts'
export type { SimulatedGroup, SimulatedTenant } from './login/directory.ts'
export type { DatacustCall, DatacustFault } from './wire/faults.ts'

/** Initial state. */
export interface DatacustSeed {
  readonly tenants: readonly SimulatedTenant[]
}

/** A technical user, as the platform hands it out. */
export interface DatacustCredentials {
  readonly tenantId: string
  readonly tenantName: string
  readonly name: string
  readonly apiKey: string
  /** The present secret; before the activation, the one to activate. */
  readonly secret: string
  readonly isActivated: boolean
}

/** A platform with several tenants, whose key service is at `<endpoint>/kms/v2`. */
export interface DatacustSimulator extends Backstage, Controls<DatacustFault, DatacustCall>, Simulator {
  readonly apiEndpoint: string
  readonly tenants: readonly SimulatedTenant[]
  /** Technical users in their present state; the first one of the first tenant sees all of its groups. */
  readonly credentials: () => readonly [DatacustCredentials, ...DatacustCredentials[]]
  /** Ends the tokens of a tenant. */
  readonly endTokens: (tenantId: string) => void
  /** Limits requests per second of a tenant. Initially off. */
  readonly setRate: RateLimit['set']
}

/**
 * Starts the simulated platform on loopback.
 * @param options.file stores the state, with key material; default: in memory only
 * @param options.port default: any free one
 * @param options.resolve resolves hosts of key stores; default: only loopback is reachable
 * @param options.seed initial state; default: the tenants `shop` and `bank`
 */
export async function startDatacust(
  options: Pick<SimulatorSetting, 'clock' | 'file'> &
    Partial<Pick<SimulatorSetting, 'resolve'>> & { port?: number; seed?: DatacustSeed },
): Promise<DatacustSimulator> {
  const { tenants } = options.seed ?? { tenants: STANDARD_TENANTS }
  const state = openState(options)
  const users = tenants.flatMap((tenant) => tenant.technicalUsers.map((user) => ({ tenant, user })))
  for (const { user } of users)
    if (state.credential(user.apiKey) === undefined)
      state.saveCredential({ apiKey: user.apiKey, secret: user.initialSecret, isActivated: false })
  const outbound = openOutbound(options.resolve ?? (() => undefined))
  const authority = openAuthority(state)
  const house: House = {
    state,
    tokens: createTokens(state, tenants),
    stores: createStores(state, outbound, authority),
    faults: createFaults(),
    log: createRequestLog(),
    rates: createRateLimit(state.now),
    endpoint: () => endpoint,
  }
  const { endpoint, stop } = await serveHttp((request) => answer(house, request), { port: options.port })
  const credentials = (): readonly [DatacustCredentials, ...DatacustCredentials[]] => {
    const [first, ...others] = users.map(({ tenant, user: { apiKey, name, initialSecret } }): DatacustCredentials => {
      const { secret = initialSecret, isActivated = false } = state.credential(apiKey) ?? {}
      return { tenantId: tenant.id, tenantName: tenant.name, name, apiKey, secret, isActivated }
    })
    if (first === undefined) throw new Error('A simulated platform needs a technical user.')
    return [first, ...others]
  }
  return {
    ...{ endpoint, apiEndpoint: `${endpoint}/kms/v2`, tenants, credentials },
    ...controls(house),
    ...backstage(state, { tenants, authority, outbound }),
    endTokens: house.tokens.end,
    setRate: house.rates.set,
    stop: async () => {
      await stop()
      outbound.close()
      state.close()
    },
  }
}

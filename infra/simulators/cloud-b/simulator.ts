import { certificateOf, privateKeyPem } from './directory/applications.ts'
import { controls, type Controls } from '../toolkit/controls.ts'
import { serveHttp } from '../toolkit/loopback.ts'
import { createRequestLog } from '../toolkit/request-log.ts'
import type { Simulator, SimulatorSetting } from '../toolkit/simulator.ts'
import { pemOf } from '../toolkit/x509.ts'
import { backstage, type Backstage } from './backstage.ts'
import { createChallenges } from './login/challenges.ts'
import { createFaults, type CloudBCall, type CloudBFault } from './wire/faults.ts'
import { answer } from './wire/front-door.ts'
import type { House } from './wire/house.ts'
import { ROWS_MOST } from './logs/workspaces.ts'
import { createRateLimits, type Rates } from './wire/rates.ts'
import { STANDARD_SEED, type CloudSeed } from './state/seed.ts'
import { openState, type CloudState, type Delays } from './state/state.ts'

export type { CloudBKeyChange, SimulatedKeyView, SimulatedVersionView } from './backstage.ts'
export type { Application, Assignment, Subscription, Tenant, User, Vault, Workspace } from './directory/directory.ts'
export type { CloudBCall, CloudBFault } from './wire/faults.ts'
export type { CloudBSeedRow } from './logs/notes.ts'
export type { CloudSeed } from './state/seed.ts'
export type { CloudBSeedKey } from './state/seeding.ts'

/** Valid credentials of an application. */
export interface CloudBCredentials {
  readonly tenantId: string
  readonly clientId: string
  readonly clientSecret?: string
  /** PEM: the certificate, and its private key in PKCS #8 */
  readonly certificate?: string
}

/** A cloud with several tenants and subscriptions. All its hosts are on one port, distinguished by a header. */
export interface CloudBSimulator extends Backstage, Controls<CloudBFault, CloudBCall>, Simulator {
  /**
   * Credentials of all applications. The first one may do everything in the first tenant's subscriptions, with a
   * secret.
   */
  readonly credentials: readonly CloudBCredentials[]
  /** Limits calls of a vault in ten seconds. Initially off. */
  readonly setRates: (rates: 'off' | 'real' | Rates) => void
  /** Number of reads, or time, until a change takes effect. */
  readonly setDelays: (delays: Partial<Delays>) => void
  /** Lowers the maximum number of rows in one answer to a query of logs. */
  readonly setRowsMost: (count: number) => void
  /** Makes a vault challenge tokens without these claims (JSON); `undefined` ends that. */
  readonly demandClaims: (vault: string, claims: string | undefined) => void
}

const credentialsOf = async (state: CloudState): Promise<readonly CloudBCredentials[]> =>
  Promise.all(
    state.all('application').map(async (application) => {
      const { clientId, tenant: tenantId, secrets, hasCertificate } = application
      return {
        tenantId,
        clientId,
        ...(secrets[0] && { clientSecret: secrets[0].value }),
        ...(hasCertificate && {
          certificate: pemOf(await certificateOf(state, application)) + (await privateKeyPem(state, application)),
        }),
      }
    }),
  )

/**
 * Starts the simulated cloud on loopback.
 * @param options.file stores the state, with key material; default: in memory only
 * @param options.port default: any free one
 * @param options.seed initial state; default: `STANDARD_SEED`
 */
export async function startCloudB(
  options: Pick<SimulatorSetting, 'clock' | 'file'> & { port?: number; seed?: CloudSeed },
): Promise<CloudBSimulator> {
  const state = openState(options, options.seed ?? STANDARD_SEED)
  let rowsMost = ROWS_MOST
  const house: House = {
    state,
    challenges: createChallenges(),
    rates: createRateLimits(state.now),
    faults: createFaults(),
    log: createRequestLog(),
    rowsMost: () => rowsMost,
  }
  const credentials = await credentialsOf(state)
  const { endpoint, stop } = await serveHttp((request) => answer(house, request), { port: options.port })
  return {
    endpoint,
    credentials,
    ...controls(house),
    ...backstage(state),
    setRates: house.rates.set,
    setDelays: state.setDelays,
    demandClaims: house.challenges.demand,
    setRowsMost: (count) => {
      rowsMost = count
    },
    stop: async () => {
      await stop()
      state.close()
    },
  }
}

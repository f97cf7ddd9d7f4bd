import { controls, type Controls } from '../toolkit/controls.ts'
import type { Simulator, SimulatorSetting } from '../toolkit/simulator.ts'
import { serveHttp } from '../toolkit/loopback.ts'
import { createRequestLog } from '../toolkit/request-log.ts'
import { backstage, type Backstage } from './backstage.ts'
import { createDirectory, STANDARD_SEED, type CloudSeed, type Directory, type SimulatedProject } from './directory.ts'
import { createFaults, type CloudCCall, type CloudCFault } from './faults.ts'
import { answer, type House } from './front-door.ts'
import { createQuotas, type Rates } from './quotas.ts'
import { seedKeys, type CloudCSeedKey } from './seeding.ts'
import { openState, type CloudState, type Delays } from './state.ts'
import { createTokens, keyIdOf, type KeyFile } from './tokens.ts'

export type { CloudCKeyChange, SimulatedKeyView, SimulatedVersionView } from './backstage.ts'
export type { CloudSeed, SimulatedProject } from './directory.ts'
export { SEEDED_USER } from './directory.ts'
export type { CloudCCall, CloudCFault } from './faults.ts'
export type { CloudCSeedKey } from './seeding.ts'
export type { KeyFile } from './tokens.ts'

/** A cloud with several projects. All its services are on one port, distinguished by path. */
export interface CloudCSimulator extends Backstage, Controls<CloudCFault, CloudCCall>, Simulator {
  readonly projects: () => readonly SimulatedProject[]
  /** Changes the bindings of a project, or whether its log contains uses of its keys. */
  readonly alterProject: Directory['alterProject']
  /** Full names of all rings, seeded or created, in order. */
  readonly rings: () => readonly string[]
  /**
   * Valid key files. The account of the first one may manage everything in the projects that have rings, and use no
   * key; the second may read keys of a project; the third is an application, which may use them.
   */
  readonly keyFiles: readonly [KeyFile, ...KeyFile[]]
  /** A bearer token of any member, valid for an hour. @param member `user:<e-mail>` or `serviceAccount:<e-mail>` */
  readonly bearerOf: (member: string) => string
  /** Adds keys without requests. @param ring full name @returns their ids, the same for the same numbers */
  readonly seed: (ring: string, count: number, describe?: (n: number) => CloudCSeedKey) => readonly string[]
  /** Limits calls per minute of a project. Initially off. */
  readonly setRates: (rates: 'off' | 'real' | Rates) => void
  /** Number of reads until a change takes effect. */
  readonly setDelays: (delays: Partial<Delays>) => void
}

async function keyFileOf(state: CloudState, email: string, endpoint: string): Promise<KeyFile> {
  const key = await state.accountKey(email)
  return {
    type: 'service_account',
    project_id: email.slice(email.indexOf('@') + 1, email.indexOf('.')),
    private_key_id: keyIdOf(email),
    private_key: key.export({ format: 'pem', type: 'pkcs8' }).toString(),
    client_email: email,
    client_id: Buffer.from(email).readUIntBE(0, 6).toString().padStart(21, '1'),
    token_uri: `${endpoint}/token`,
    universe_domain: 'googleapis.com',
  }
}

/**
 * Starts the simulated cloud on loopback.
 * @param options.file stores the state, with key material; default: in memory only
 * @param options.port default: any free one
 * @param options.seed initial state; default: `STANDARD_SEED`
 */
export async function startCloudC(
  options: Pick<SimulatorSetting, 'clock' | 'file'> & { port?: number; seed?: CloudSeed },
): Promise<CloudCSimulator> {
  const seed = options.seed ?? STANDARD_SEED
  const state = openState(options)
  for (const name of seed.rings) if (!state.rings.has(name)) state.saveRing({ name, createdAt: state.now() })
  const quotas = createQuotas(state.now)
  const house: House = {
    state,
    directory: createDirectory(seed),
    tokens: createTokens(state, seed.serviceAccounts, () => `${endpoint}/token`),
    faults: createFaults(),
    quotas,
    log: createRequestLog(),
  }
  const { endpoint, stop } = await serveHttp((request) => answer(house, request), { port: options.port })
  const [first, ...others] = await Promise.all(seed.serviceAccounts.map((email) => keyFileOf(state, email, endpoint)))
  if (first === undefined) throw new Error('A simulated cloud needs a service account.')
  return {
    endpoint,
    projects: house.directory.projects,
    alterProject: house.directory.alterProject,
    rings: () => [...state.rings.keys()].sort(),
    keyFiles: [first, ...others],
    bearerOf: house.tokens.issue,
    ...controls(house),
    seed: (ring, count, describe) => seedKeys(state, ring, count, describe),
    ...backstage(state),
    setRates: quotas.set,
    setDelays: state.setDelays,
    stop: async () => {
      await stop()
      state.close()
    },
  }
}

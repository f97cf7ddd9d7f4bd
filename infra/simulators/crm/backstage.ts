import type { KeyObject } from 'node:crypto'
import { makeCertificate, type CertificateWish } from './certificates/certificates.ts'
import { pemOf, privateKeyIn } from './certificates/keys.ts'
import type { Fetches } from './remote/fetches.ts'
import { fetchDue, refetch, type FetchOutcome } from './remote/refresh.ts'
import type {
  HeldCertificate,
  HeldOrganization,
  HeldSecret,
  SecretSource,
  SecretStatus,
  SecretType,
  Settings,
} from './state/held.ts'
import { plantCredential, plantSecrets, type CrmSeedCredential, type CrmSeedSecret } from './state/seed.ts'
import type { CrmState } from './state/state.ts'

/** A tenant secret as tests see it without requests. */
export interface SimulatedSecretView {
  readonly id: string
  readonly type: SecretType
  readonly status: SecretStatus
  readonly source: SecretSource
  readonly version: number
  readonly mode: HeldSecret['mode']
  readonly description: string | null
  /** `kid` of a cache-only key. */
  readonly keyId: string | undefined
  /** Whether failed fetches are repeated. */
  readonly isRetried: boolean
}

export interface SimulatedCertificateView {
  readonly id: string
  readonly developerName: string
  readonly keySize: number
}

export interface Backstage {
  readonly secrets: (organizationId: string) => readonly SimulatedSecretView[]
  /** The 32 bytes of a secret, while the platform has them. */
  readonly materialOf: (secretId: string) => Buffer | undefined
  /** Changes a secret in the platform, made without the service. */
  readonly alter: (secretId: string, change: { readonly status?: SecretStatus; readonly description?: string }) => void
  readonly certificates: (organizationId: string) => readonly SimulatedCertificateView[]
  readonly addCertificate: (organizationId: string, wish: CertificateWish) => SimulatedCertificateView
  /** A certificate in PEM, by its unique name. */
  readonly pemOf: (organizationId: string, developerName: string) => Promise<string>
  /** The private key of a certificate, which the platform never shows. */
  readonly privateKeyOf: (organizationId: string, developerName: string) => Promise<KeyObject>
  readonly removeCertificate: (organizationId: string, developerName: string) => void
  /** Adds or replaces a named credential. @returns its id */
  readonly setCredential: (organizationId: string, credential: CrmSeedCredential) => string
  readonly settingsOf: (organizationId: string) => Settings
  readonly changeSettings: (organizationId: string, settings: Partial<Settings>) => void
  /** Adds secrets without requests. @returns their ids */
  readonly seed: (organizationId: string, count: number, describe?: (n: number) => CrmSeedSecret) => readonly string[]
  /** Empties the cache of a cache-only key and fetches it again. */
  readonly flush: (secretId: string) => Promise<FetchOutcome>
  /** Makes the fetches that are due by the clock: retries, and keys that were cached for 72 hours. */
  readonly fetchDue: () => Promise<void>
}

const view = (secret: HeldSecret): SimulatedSecretView => ({
  ...{ id: secret.id, type: secret.type, status: secret.status, source: secret.source, mode: secret.mode },
  ...{ version: secret.number, description: secret.description, keyId: secret.remote?.keyId },
  isRetried: secret.retries !== undefined,
})

/** Reads and changes for tests, without requests. */
export function backstage(house: { readonly state: CrmState; readonly fetches: Fetches }): Backstage {
  const { state } = house
  const organization = (id: string): HeldOrganization => {
    const found = state.organization(id)
    if (found === undefined) throw new Error(`Organization ${id} does not exist.`)
    return found
  }
  const secret = (id: string): HeldSecret => {
    const found = state
      .organizations()
      .flatMap((each) => state.secrets(each.id))
      .find((each) => each.id === id)
    if (found === undefined) throw new Error(`Tenant secret ${id} does not exist.`)
    return found
  }
  const certificate = (id: string, name: string): HeldCertificate => {
    const found = state.certificates(id).find(({ developerName }) => developerName === name)
    if (found === undefined) throw new Error(`No certificate is named ${name}.`)
    return found
  }
  return {
    secrets: (id) => state.secrets(id).map(view),
    materialOf: (id) => {
      const { material } = secret(id)
      return material && Buffer.from(material)
    },
    alter: (id, change) => {
      const changed = Object.assign(secret(id), change, { changedAt: state.now() })
      state.save('secret', [changed])
    },
    certificates: state.certificates,
    addCertificate: (id, wish) => makeCertificate(state, organization(id).id, wish),
    pemOf: async (id, name) => pemOf(state, certificate(id, name)),
    privateKeyOf: async (id, name) => privateKeyIn(state, certificate(id, name)),
    removeCertificate: (id, name) => {
      const found = state.certificates(id).find(({ developerName }) => developerName === name)
      if (found !== undefined) state.remove('certificate', found.id)
    },
    setCredential: (id, credential) => plantCredential(state, organization(id).id, credential).id,
    settingsOf: (id) => organization(id).settings,
    changeSettings: (id, settings) => {
      const changed = organization(id)
      changed.settings = { ...changed.settings, ...settings }
      state.save('organization', [changed])
    },
    seed: (id, count, describe) => plantSecrets(state, organization(id), count, describe),
    flush: (id) => refetch(house, secret(id)),
    fetchDue: () => fetchDue(house),
  }
}

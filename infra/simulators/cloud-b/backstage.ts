import { privateKeyOf } from '../toolkit/key-pairs.ts'
import { register } from './directory/applications.ts'
import { ownCertificate, policyOf } from './certificates/versions.ts'
import type { Application, Assignment, Subscription, Tenant, User, Vault, Workspace } from './directory/directory.ts'
import { DAY_MS, latest, versionOf, type HeldKey, type KeyVersion } from './vaults/held.ts'
import { KINDS } from './keys/key-specs.ts'
import { seedRows, type CloudBSeedRow } from './logs/notes.ts'
import { encryptOctets, type OctetValues } from './keys/octet-use.ts'
import { encryptRsa } from './keys/pair-use.ts'
import { rotateNow } from './state/passing-time.ts'
import { seedKeys, type CloudBSeedKey } from './state/seeding.ts'
import type { CloudState } from './state/state.ts'
import { AUDIENCES, issue, type Service } from './login/tokens.ts'

/** A version as tests see it without requests. */
export interface SimulatedVersionView {
  readonly id: string
  readonly kty: string
  readonly bits: number | undefined
  readonly crv: string | undefined
  readonly ops: readonly string[]
  readonly enabled: boolean
  readonly exportable: boolean
  readonly nbf: number | undefined
  readonly exp: number | undefined
  readonly createdAt: Date
  readonly tags: Readonly<Record<string, string>>
}

export interface SimulatedKeyView {
  readonly vault: string
  readonly name: string
  readonly deleted: boolean
  readonly managed: boolean
  /** Oldest first. */
  readonly versions: readonly SimulatedVersionView[]
}

/** A change of a key's latest version in the cloud, made without the service. Absent members are unchanged. */
export interface CloudBKeyChange {
  readonly enabled?: boolean
  readonly nbf?: number
  readonly exp?: number
  readonly tags?: Readonly<Record<string, string>>
  /** Number of versions to add. */
  readonly newVersions?: number
}

/** Reads and changes for tests, as other users of the cloud would make them, without requests. */
export interface Backstage {
  readonly keyOf: (vault: string, name: string) => SimulatedKeyView | undefined
  /** In the order of lists, including deleted ones. */
  readonly keysIn: (vault: string) => readonly SimulatedKeyView[]
  /** The bytes of a version, raw or PKCS #8; default: the latest version. */
  readonly materialOf: (vault: string, name: string, version?: string) => Promise<Buffer | undefined>
  /** Encrypts a value with the cloud's key, by `RSA-OAEP` and the like, or `A256GCM`. */
  readonly encryptAs: (vault: string, name: string, alg: string, value: Buffer) => Promise<OctetValues>
  readonly alterKey: (vault: string, name: string, change: CloudBKeyChange) => void
  /** Removes a key permanently, as if it had been deleted and purged. */
  readonly forgetKey: (vault: string, name: string) => void
  /** A certificate, DER, for the pending request of a name, as an external authority would issue it. */
  readonly issueFor: (vault: string, name: string) => Buffer
  /** @returns names */
  readonly seedKeys: (
    vault: string,
    count: number,
    describe?: (n: number) => CloudBSeedKey,
  ) => Promise<readonly string[]>
  /** Adds rows to the log of a vault, without requests. */
  readonly seedLog: (vault: string, count: number, describe: (n: number) => CloudBSeedRow) => void
  readonly vaults: () => readonly Vault[]
  readonly vaultNamed: (name: string) => Vault | undefined
  /** Adds or replaces. */
  readonly putVault: (vault: Vault) => void
  readonly alterVault: (name: string, change: Partial<Omit<Vault, 'name'>>) => void
  /** Soft-deletes a vault. */
  readonly deleteVault: (name: string) => void
  readonly recoverVault: (name: string) => void
  /** Removes a vault and its content. */
  readonly purgeVault: (name: string) => void
  readonly putTenant: (tenant: Tenant) => void
  readonly putSubscription: (subscription: Subscription) => void
  readonly dropSubscription: (id: string) => void
  readonly subscriptions: () => readonly Subscription[]
  readonly putApplication: (application: Application) => void
  readonly applications: () => readonly Application[]
  /** Registers a certificate, PEM, with which the application may log in from now on. */
  readonly registerCertificate: (clientId: string, pem: string) => void
  readonly putUser: (user: User) => void
  readonly putWorkspace: (workspace: Workspace) => void
  readonly workspaces: () => readonly Workspace[]
  readonly assignments: () => readonly Assignment[]
  readonly setAssignments: (assignments: readonly Assignment[]) => void
  /** A bearer token of an application or a person, valid for an hour. @param objectId of the principal */
  readonly bearerOf: (objectId: string, service: Service) => Promise<string>
}

const viewOf = ({ vault, name, deleted, managed, versions }: HeldKey): SimulatedKeyView => ({
  ...{ vault, name, deleted: deleted !== undefined, managed: managed === true },
  versions: versions.map(({ id, kty, bits, crv, ops, enabled, exportable, nbf, exp, createdAt, tags }) => ({
    ...{ id, kty, bits, crv, ops, enabled, exportable, nbf, exp, tags },
    createdAt: new Date(createdAt),
  })),
})

export function backstage(state: CloudState): Backstage {
  return { ...keyStage(state), ...vaultStage(state), ...peopleStage(state) }
}

type KeyStage = 'keyOf' | 'keysIn' | 'materialOf' | 'encryptAs' | 'alterKey' | 'forgetKey' | 'issueFor' | 'seedKeys'

function keyStage(state: CloudState): Pick<Backstage, KeyStage> {
  const existing = (vault: string, name: string): HeldKey => {
    const key = state.item('keys', vault, name)
    if (key === undefined) throw new Error(`There is no key ${name} in ${vault}.`)
    return key
  }
  return {
    keyOf: (vault, name) => {
      const key = state.item('keys', vault, name)
      return key && viewOf(key)
    },
    keysIn: (vault) =>
      state
        .names('keys', vault)
        .after(undefined, Infinity)
        .flatMap((name) => state.item('keys', vault, name) ?? [])
        .map(viewOf),
    materialOf: async (vault, name, id = '') => {
      const key = existing(vault, name)
      const version = versionOf(key, id)
      return version && Buffer.from(await state.bytesOf(key, version))
    },
    encryptAs: async (vault, name, alg, value) => {
      const key = existing(vault, name)
      const version = latest(key)
      const bytes = await state.bytesOf(key, version)
      return KINDS[version.kty].family === 'oct'
        ? encryptOctets(alg, bytes, { value })
        : { value: encryptRsa(alg, bytes, value) }
    },
    alterKey: (vault, name, { newVersions = 0, ...change }) => {
      const key = existing(vault, name)
      for (let made = 0; made < newVersions; made++) rotateNow(key, state.now())
      const version: KeyVersion = latest(key)
      Object.assign(version, change, { updatedAt: state.now() })
      state.save('keys', [key])
    },
    forgetKey: (vault, name) => state.forget('keys', vault, name),
    issueFor: (vault, name) => {
      const certificate = state.item('certificates', vault, name)
      if (certificate?.pending === undefined) throw new Error(`There is no pending certificate ${name} in ${vault}.`)
      return ownCertificate(policyOf(certificate), name, privateKeyOf(certificate.pending.bytes), state.now())
    },
    seedKeys: (vault, count, describe) => seedKeys(state, vault, count, describe),
  }
}

type VaultStage =
  'seedLog' | 'vaults' | 'vaultNamed' | 'putVault' | 'alterVault' | 'deleteVault' | 'recoverVault' | 'purgeVault'

function vaultStage(state: CloudState): Pick<Backstage, VaultStage> {
  const alter = (name: string, change: Partial<Vault>) => {
    const vault = state.vault(name)
    if (vault === undefined) throw new Error(`There is no vault ${name}.`)
    state.put('vault', { ...vault, ...change })
  }
  return {
    seedLog: (name, count, describe) => {
      const vault = state.vault(name)
      if (vault === undefined) throw new Error(`There is no vault ${name}.`)
      seedRows(state, vault, count, describe)
    },
    vaults: () => state.all('vault'),
    vaultNamed: (name) => state.vault(name),
    putVault: (vault) => state.put('vault', vault),
    alterVault: alter,
    deleteVault: (name) => {
      const days = state.vault(name)?.retentionDays ?? 0
      alter(name, { deleted: { at: state.now(), purgeAt: state.now() + days * DAY_MS } })
    },
    recoverVault: (name) => alter(name, { deleted: undefined }),
    purgeVault: (name) => state.drop('vault', name),
  }
}

type PeopleStage = Exclude<keyof Backstage, KeyStage | VaultStage>

const peopleStage = (state: CloudState): Pick<Backstage, PeopleStage> => ({
  putTenant: (tenant) => state.put('tenant', tenant),
  putSubscription: (subscription) => state.put('subscription', subscription),
  dropSubscription: (id) => state.drop('subscription', id),
  subscriptions: () => state.all('subscription'),
  putApplication: (application) => state.put('application', application),
  applications: () => state.all('application'),
  registerCertificate: (clientId, pem) => register(state, clientId, pem),
  putUser: (user) => state.put('user', user),
  putWorkspace: (workspace) => state.put('workspace', workspace),
  workspaces: () => state.all('workspace'),
  assignments: state.assignments,
  setAssignments: state.setAssignments,
  bearerOf: async (objectId, service) => {
    const application = state.all('application').find((each) => each.objectId === objectId)
    const user = state.thing('user', objectId)
    const tenant = application?.tenant ?? user?.tenant
    if (tenant === undefined) throw new Error(`There is no principal ${objectId}.`)
    const { access_token } = await issue(state, {
      ...{ objectId, tenant, audience: AUDIENCES[service][0] },
      ...(application && { clientId: application.clientId }),
      ...(user && { upn: user.upn }),
    })
    return access_token
  },
})

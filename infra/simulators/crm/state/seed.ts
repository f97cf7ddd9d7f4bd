import { randomBytes } from 'node:crypto'
import { makeCertificate, type CertificateWish } from '../certificates/certificates.ts'
import { SHOP, SHOP_SANDBOX, STANDARD_ORGANIZATIONS, type SimulatedOrganization } from '../login/directory.ts'
import type { CalloutLogin, HeldCredential, HeldOrganization, HeldSecret, SecretType, Settings } from './held.ts'
import { idOf } from './ids.ts'
import type { CrmState } from './state.ts'

/** A named credential of the initial state, or one that a test adds. */
export interface CrmSeedCredential {
  readonly developerName: string
  readonly masterLabel?: string
  readonly endpoint: string
  readonly login: CalloutLogin
  readonly isExternal?: boolean
  readonly isOpenToProcesses?: boolean
}

/** Initial state. */
export interface CrmSeed {
  readonly organizations: readonly SimulatedOrganization[]
  readonly settings: Readonly<Record<string, Partial<Settings>>>
  readonly certificates: readonly (CertificateWish & { readonly organizationId: string })[]
}

/** As an organization is after its creation. */
const STANDARD_SETTINGS: Settings = {
  enableCacheOnlyKeys: false,
  enableReplayDetection: false,
  canOptOutOfDerivationWithBYOK: false,
  allowsPasswordFlow: false,
  needsSecurityToken: true,
  isHyperforce: false,
  hasEventMonitoring: false,
  wrapHashes: ['sha1', 'sha512'],
}

export const STANDARD_SEED: CrmSeed = {
  organizations: STANDARD_ORGANIZATIONS,
  settings: {
    [SHOP]: {
      ...{ enableCacheOnlyKeys: true, enableReplayDetection: true, canOptOutOfDerivationWithBYOK: true },
      ...{ allowsPasswordFlow: true, hasEventMonitoring: true },
    },
  },
  certificates: [
    {
      ...{ organizationId: SHOP, developerName: 'keymgr_wrapping', masterLabel: 'Wrapping of keys', keySize: 4096 },
      ...{ isEncryptedWithPlatform: true, isExportable: false },
    },
    { organizationId: SHOP, developerName: 'keymgr_callouts', masterLabel: 'Tokens of callouts', keySize: 2048 },
    {
      ...{ organizationId: SHOP_SANDBOX, developerName: 'keymgr_wrapping', keySize: 4096 },
      ...{ isEncryptedWithPlatform: true, isExportable: false },
    },
  ],
}

/** Adds missing parts of the seed to the state. */
export function plant(state: CrmState, { organizations, settings, certificates }: CrmSeed): void {
  for (const { id, name, isSandbox } of organizations) {
    if (state.organization(id) !== undefined) continue
    const own = { ...STANDARD_SETTINGS, ...settings[id] }
    state.save('organization', [{ id, name, isSandbox, settings: own, exportKey: randomBytes(32) }])
    const wishes = certificates.filter(({ organizationId }) => organizationId === id)
    for (const { organizationId, ...wish } of wishes) makeCertificate(state, organizationId, wish)
  }
}

export function plantCredential(state: CrmState, organizationId: string, seed: CrmSeedCredential): HeldCredential {
  const before = state.credentials(organizationId).find(({ developerName }) => developerName === seed.developerName)
  const made: HeldCredential = {
    id: before?.id ?? idOf('NamedCredential', state.nextNumber()),
    organizationId,
    ...{ masterLabel: seed.developerName, isExternal: false, isOpenToProcesses: true, ...seed },
  }
  state.save('credential', [made])
  return made
}

/** A seeded secret; by default an archived one of the type `Data`, made by the platform long ago. */
export interface CrmSeedSecret {
  readonly type?: SecretType
  readonly status?: HeldSecret['status']
  readonly description?: string
  readonly createdAt?: Date
}

const SEEDED_AT = Date.parse('2025-01-01T00:00:00Z')

/** Adds secrets without requests, limits do not matter. @returns their ids */
export function plantSecrets(
  state: CrmState,
  { id: organizationId }: Pick<HeldOrganization, 'id'>,
  count: number,
  describe: (n: number) => CrmSeedSecret = () => ({}),
): readonly string[] {
  const first = Math.max(0, ...state.secrets(organizationId).map(({ number }) => number)) + 1
  const by = idOf('User', 1)
  const secrets = Array.from({ length: count }, (_, n): HeldSecret => {
    const { type = 'Data', status = 'ARCHIVED', description = `seeded ${n}`, createdAt } = describe(n)
    const at = createdAt?.getTime() ?? SEEDED_AT
    return {
      ...{ id: idOf('TenantSecret', state.nextNumber()), organizationId, number: first + n, description },
      ...{ type, status, source: 'HSM', mode: 'PBKDF2', createdAt: at, changedAt: at, createdBy: by, changedBy: by },
      material: status === 'DESTROYED' ? undefined : randomBytes(32),
    }
  })
  state.save('secret', secrets)
  return secrets.map(({ id }) => id)
}

import type { Application, Assignment, Subscription, Tenant, User, Vault, Workspace } from '../directory/directory.ts'

/** Initial state. */
export interface CloudSeed {
  readonly tenants: readonly Tenant[]
  readonly applications: readonly Application[]
  readonly users: readonly User[]
  readonly subscriptions: readonly Subscription[]
  readonly workspaces: readonly Workspace[]
  readonly vaults: readonly Vault[]
  readonly assignments: readonly Assignment[]
}

const uuid = (group: number, n: number): string =>
  `5470${String(group).padStart(4, '0')}-0000-4000-8000-${String(n).padStart(12, '0')}`

const SHOP_TENANT = uuid(1, 1)
const BANK_TENANT = uuid(1, 2)
const SHOP = uuid(2, 1)
const BANK = uuid(2, 2)
const WORKSPACE = uuid(5, 1)

const application = (n: number, name: string, more: Partial<Application> = {}): Application => ({
  clientId: uuid(3, n),
  objectId: uuid(4, n),
  tenant: SHOP_TENANT,
  name,
  secrets: [{ value: `simulated~secret~of~${name}` }],
  hasCertificate: false,
  ...more,
})

/** Has all rights that this service uses. */
const KEYMGR = application(1, 'keymgr')
/** The same rights, with a certificate and no secret. */
const KEYMGR_CERTIFICATE = application(2, 'keymgr-certificate', { secrets: [], hasCertificate: true })
/** May read vaults and keys, but not change them. */
const VISITOR = application(3, 'visitor')
/** Belongs to another tenant, whose subscription it may manage. */
const BANKER = application(4, 'banker', { tenant: BANK_TENANT })
/** A person whose applications use keys. */
export const SEEDED_USER: User = { objectId: uuid(4, 9), tenant: SHOP_TENANT, upn: 'alice@shop.example' }

const vault = (name: string, more: Partial<Vault> = {}): Vault => ({
  name,
  sku: 'premium',
  subscription: SHOP,
  resourceGroup: 'shop-keys',
  location: 'westeurope',
  softDelete: true,
  retentionDays: 90,
  purgeProtection: false,
  roles: true,
  accessPolicies: [],
  closed: false,
  tags: {},
  workspace: WORKSPACE,
  ...more,
})

const ADMINISTRATOR = ['Reader', 'Key Vault Administrator', 'Managed HSM Crypto Officer', 'Log Analytics Reader']

const assigned = (principal: string, scope: string, ...roles: readonly string[]): Assignment[] =>
  roles.map((role) => ({ principal, role, scope: `/subscriptions/${scope}` }))

export const STANDARD_SEED: CloudSeed = {
  tenants: [
    { id: SHOP_TENANT, domain: 'shop.example' },
    { id: BANK_TENANT, domain: 'bank.example' },
  ],
  applications: [KEYMGR, KEYMGR_CERTIFICATE, VISITOR, BANKER],
  users: [SEEDED_USER],
  subscriptions: [
    { id: SHOP, displayName: 'Shop', tenant: SHOP_TENANT, state: 'Enabled' },
    { id: BANK, displayName: 'Bank', tenant: SHOP_TENANT, state: 'Enabled' },
    { id: uuid(2, 3), displayName: 'Elsewhere', tenant: BANK_TENANT, state: 'Enabled' },
  ],
  workspaces: [{ id: WORKSPACE, name: 'shop-logs', subscription: SHOP, resourceGroup: 'shop-keys' }],
  vaults: [
    vault('shop-standard', { sku: 'standard' }),
    vault('shop-premium', { tags: { team: 'blue' } }),
    vault('shop-spare', { location: 'northeurope', retentionDays: 7 }),
    vault('shop-locked', { purgeProtection: true }),
    vault('shop-plain', { sku: 'standard', softDelete: false }),
    vault('shop-overseas', { location: 'eastus', resourceGroup: 'shop-overseas' }),
    vault('shop-hsm', { sku: 'managed-hsm' }),
    vault('bank-premium', { subscription: BANK, resourceGroup: 'bank-keys' }),
    vault('elsewhere', { subscription: uuid(2, 3), resourceGroup: 'elsewhere', workspace: undefined }),
  ],
  assignments: [
    ...assigned(KEYMGR.objectId, SHOP, ...ADMINISTRATOR),
    ...assigned(KEYMGR.objectId, BANK, ...ADMINISTRATOR),
    ...assigned(KEYMGR_CERTIFICATE.objectId, SHOP, ...ADMINISTRATOR),
    ...assigned(VISITOR.objectId, SHOP, 'Reader', 'Key Vault Reader'),
    ...assigned(BANKER.objectId, uuid(2, 3), ...ADMINISTRATOR),
    ...assigned(SEEDED_USER.objectId, SHOP, 'Key Vault Crypto User', 'Managed HSM Crypto User'),
  ],
}

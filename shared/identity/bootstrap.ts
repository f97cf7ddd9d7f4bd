import { Refusal } from '../base/errors.ts'
import { ROOT_DOMAIN_ID, ROOT_DOMAIN_NAME, commonFields, resourceUri } from '../base/ids.ts'
import { newDomainKey, sealUnderNew } from '../keyring/domain-key.ts'
import { newSigningKey, SIGNING_KEY_PURPOSE } from '../keyring/token-key.ts'
import type { Domain } from './domains/model.ts'
import { Changes, Stale } from '../store/changes.ts'
import { domainKeys } from '../keyring/domain-key-store.ts'
import { domains } from './domains/store.ts'
import { groups } from './groups/store.ts'
import { countMembers } from './groups/member-count.ts'
import { signingKeys } from '../keyring/signing-key-store.ts'
import { users } from './users/store.ts'
import { newUser } from './users/new-user.ts'
import { generatePassword } from './generated-password.ts'
import { groupNamed, systemGroups } from './groups/system-groups.ts'
import { ADMIN_GROUP } from './groups/model.ts'

export const ADMINISTRATOR = 'admin'

export interface Bootstrapped {
  readonly administrator: string
  /** only after the first start, if it was generated */
  readonly generated_password?: string
}

/**
 * Creates the first items of a deployment in one transaction: the root domain, its key, the token signing key, the
 * system groups and the administrator. Later calls change nothing.
 * @throws Refusal RULE_BROKEN when the given password breaks the password rules
 */
export async function bootstrap(now: Date, adminPassword: string | undefined): Promise<Bootstrapped> {
  if (await domains.get(ROOT_DOMAIN_ID, ROOT_DOMAIN_ID)) return { administrator: ADMINISTRATOR }
  const changes = new Changes()
  const password = adminPassword ?? generatePassword()
  const domainKey = await newDomainKey(ROOT_DOMAIN_ID, 0, now)
  const { key, pkcs8 } = await newSigningKey(now)
  const sealed = sealUnderNew(ROOT_DOMAIN_ID, domainKey, SIGNING_KEY_PURPOSE(key.id), pkcs8)
  pkcs8.fill(0)
  const system = systemGroups(now)
  const administrators = groupNamed(system, ADMIN_GROUP)
  const user = await newUser({ username: ADMINISTRATOR, password }, [administrators.id], now)
  changes.create(domains, ROOT_DOMAIN_ID, rootDomain(now, user.user_id))
  changes.create(domainKeys, ROOT_DOMAIN_ID, domainKey)
  changes.create(signingKeys, ROOT_DOMAIN_ID, { ...key, sealed })
  for (const group of system) changes.create(groups, ROOT_DOMAIN_ID, group)
  countMembers(changes, ROOT_DOMAIN_ID, administrators.id, { users: 1, enabled: 1 })
  changes.create(users, ROOT_DOMAIN_ID, user)
  try {
    await changes.commit(now)
  } catch (error) {
    // two instances started at once: the administrator of the faster one remains
    const lost = error instanceof Stale || (error instanceof Refusal && error.reason === 'NAME_TAKEN')
    if (lost) return { administrator: ADMINISTRATOR }
    throw error
  }
  return { administrator: ADMINISTRATOR, ...(adminPassword === undefined && { generated_password: password }) }
}

const rootDomain = (now: Date, administrator: string): Domain => ({
  ...commonFields(ROOT_DOMAIN_ID, ROOT_DOMAIN_ID, resourceUri(ROOT_DOMAIN_ID, 'admin', 'domains', ROOT_DOMAIN_ID), now),
  name: ROOT_DOMAIN_NAME,
  admins: [administrator],
  allow_user_management: true,
  kek_version: 0,
})

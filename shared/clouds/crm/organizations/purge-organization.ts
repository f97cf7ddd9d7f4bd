import * as z from 'zod'
import { sweptEntity, sweptWork } from '../../../cloud/containers/swept-work.ts'
import { Changes } from '../../../store/changes.ts'
import type { Entity } from '../../../store/entity.ts'
import { removing, type PurgeStep } from '../../../store/remove-some.ts'
import { certificatesOfOrganization, crmCertificateRecords } from '../certificates/store.ts'
import { crmBackups, crmSecrets, crmServedKeys, secretsOfOrganization, servedOf } from '../keys/store.ts'

const purges = sweptEntity('crm-organization-purge', 'purge-crm-organization', { organization: z.string() })

const AT_ONCE = 12

/** Removes some records of a family. @param beside stages the removal of what belongs to one. @returns whether any is left */
async function removeSome<T extends { readonly id: string }, R>(
  entity: Entity<T, R>,
  domain: string,
  family: string,
  now: Date,
  beside?: (changes: Changes, id: string) => Promise<void>,
): Promise<boolean> {
  const members = await entity.membersAfter(domain, family, undefined, AT_ONCE)
  const changes = new Changes()
  const ids = members.map(({ id }) => id)
  for (const stored of await entity.getMany(domain, ids, 'salvage')) {
    changes.remove(entity, domain, stored)
    await beside?.(changes, stored.damage?.id ?? stored.item.id)
  }
  await changes.commit(now)
  return members.length > 0
}

/** Stages the removal of a secret's backup. */
const withBackup =
  (domain: string) =>
  async (changes: Changes, id: string): Promise<void> => {
    const [backup] = await crmBackups.getMany(domain, [id], 'salvage')
    if (backup !== undefined) changes.remove(crmBackups, domain, backup)
  }

const work = sweptWork('purge-crm-organization', purges, async (domain, { organization }, { now, hasTime }) => {
  const steps = [
    () => removeSome(crmSecrets, domain, secretsOfOrganization(organization), now, withBackup(domain)),
    () => removeSome(crmServedKeys, domain, servedOf(organization), now),
    () => removeSome(crmCertificateRecords, domain, certificatesOfOrganization(organization), now),
  ]
  for (const step of steps)
    do {
      if (!hasTime()) return false
    } while (await step())
  return true
})

/** Removes the records of a removed organization. It does not change the cloud. */
export const organizationPurge = {
  plan: work.plan,
  sweep: work.sweep,
  /** The purge of a deleted domain. */
  steps: [
    removing(crmSecrets, 'all'),
    removing(crmBackups, 'all'),
    removing(crmServedKeys, 'all'),
    removing(crmCertificateRecords, 'all'),
    removing(purges, 'all'),
  ] satisfies readonly PurgeStep[],
}

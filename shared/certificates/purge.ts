import { forgetEndpoint } from '../store/owner.ts'
import { Changes } from '../store/changes.ts'
import { removing, type PurgeStep } from '../store/remove-some.ts'
import { CA_OWNER, localCas } from './authorities/store.ts'
import { clientCertificates } from './clients/client-certificates.ts'
import { domainCaPlans } from './domains/store.ts'
import { externalCas } from './external/store.ts'
import { issuedCertificates, revocations } from './issued/store.ts'
import { removeTrusted } from './trust-store/trusted.ts'

/** Deletes the plan of a domain whose authority does not exist yet. */
const dropPlan: PurgeStep = async (domain, now) => {
  const plan = await domainCaPlans.get(domain, domain)
  if (plan === undefined) return false
  const changes = new Changes()
  changes.remove(domainCaPlans, domain, plan)
  await changes.commit(now)
  return true
}

/** Removes the authorities of a deleted domain, and their certificates. */
export const certificatesPurge: readonly PurgeStep[] = [
  dropPlan, // first, so that no authority is created any more
  removeTrusted,
  removing(localCas, 'all', (changes, _domain, { id }) => forgetEndpoint(changes, CA_OWNER, id)),
  removing(issuedCertificates, 'all'),
  removing(revocations, 'all'),
  removing(externalCas, 'all'),
  removing(clientCertificates, 'all'),
]

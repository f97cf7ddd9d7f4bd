import { forgetEndpoint } from '../serving/managed/owner.ts'
import { removeTrusted } from './trust-store/trusted.ts'
import { removing, type PurgeStep } from '../store/remove-some.ts'
import { CA_OWNER, localCas } from './authorities/store.ts'
import { externalCas } from './external/store.ts'
import { issuedCertificates, revocations } from './issued/store.ts'

/** Removes the authorities of a deleted domain, and what they issued. */
export const certificatesPurge: readonly PurgeStep[] = [
  removeTrusted,
  removing(localCas, 'all', (changes, _domain, { id }) => forgetEndpoint(changes, CA_OWNER, id)),
  removing(issuedCertificates, 'all'),
  removing(revocations, 'all'),
  removing(externalCas, 'all'),
]

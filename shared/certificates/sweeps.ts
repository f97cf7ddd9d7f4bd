import { expiring, type SweepRow } from '../store/due.ts'
import { makeDomainCa } from './domains/make.ts'
import { MAKE_DOMAIN_CA } from './domains/store.ts'
import { EXPIRE_REVOCATION, revocations } from './issued/store.ts'

export const CERTIFICATE_SWEEPS: readonly SweepRow[] = [
  expiring(EXPIRE_REVOCATION, revocations),
  { due: MAKE_DOMAIN_CA, counts: 'resumed', work: ({ domain }, { now }) => makeDomainCa(domain, now) },
]

import type { SweepRow } from '../../store/due.ts'
import { sessionExpiry } from './connections/shared-session.ts'
import { organizationPurge } from './organizations/purge-organization.ts'

export const crmSweeps: readonly SweepRow[] = [organizationPurge.sweep, sessionExpiry]

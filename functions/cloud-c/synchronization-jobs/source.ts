import type { Source } from '../../../shared/domain/synchronization/jobs.ts'

/** What the jobs of cloud-c read. */
export const KEYS: Source = { cloud_name: 'cloud-c' }

import type { Source } from '../../../shared/work/synchronize/jobs.ts'

/** What the jobs of cloud-c read. */
export const KEYS: Source = { cloud_name: 'cloud-c' }

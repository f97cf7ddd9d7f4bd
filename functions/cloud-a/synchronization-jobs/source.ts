import type { Source } from '../../../shared/work/synchronize/jobs.ts'

/** What the jobs of cloud-a read. */
export const KEYS: Source = { cloud_name: 'cloud-a' }
export const KEY_STORES: Source = { cloud_name: 'cloud-a', of: 'key-stores' }

import type { PathOf } from './calls.ts'

/** One kind of job: work that goes on after the call that began it. Nested properties are named with dots. */
export interface JobRow {
  /** the property that says how it is going */
  readonly status: string
  /** its values while the work goes on; all others are final */
  readonly pending: readonly string[]
  readonly failed: readonly string[]
  /** properties that say what failed */
  readonly reasons: readonly string[]
  /** the calls that begin it */
  readonly begunBy: readonly PathOf<'post'>[]
  /** names in the path, and the property of the answer to `begunBy` that has them; others are those of its path */
  readonly ids?: Readonly<Record<string, string>>
  /** properties that tell how much is done, of how much: numbers, lists, or objects with an entry for each */
  readonly done?: string
  readonly left?: string
  readonly total?: string
}

const BY_ID = { id: 'id' }
const WORK = { status: 'overall_status', pending: ['in_progress'], failed: ['failed', 'aborted'], ids: BY_ID } as const
const SYNCHRONIZATION = { ...WORK, reasons: ['errors', 'detailed_status'] } as const
const REPORT = { ...WORK, reasons: ['detailed_status'], done: 'detailed_status', total: 'kms' } as const
const BULK = { ...WORK, reasons: ['detailed_status'], done: 'detailed_status' } as const

/** Every job of the interface, by the path that tells how it is going. */
export const JOBS = {
  '/v1/keymgr/cloud-a/synchronization-jobs/{id}': {
    ...SYNCHRONIZATION,
    begunBy: ['/v1/keymgr/cloud-a/synchronization-jobs'],
  },
  '/v1/keymgr/cloud-a/custom-key-stores/synchronization-jobs/{id}': {
    ...SYNCHRONIZATION,
    begunBy: ['/v1/keymgr/cloud-a/custom-key-stores/synchronization-jobs'],
  },
  '/v1/keymgr/cloud-b/synchronization-jobs/{id}': {
    ...SYNCHRONIZATION,
    begunBy: ['/v1/keymgr/cloud-b/synchronization-jobs'],
  },
  '/v1/keymgr/cloud-b/secrets/synchronization-jobs/{id}': {
    ...SYNCHRONIZATION,
    begunBy: ['/v1/keymgr/cloud-b/secrets/synchronization-jobs'],
  },
  '/v1/keymgr/cloud-b/certificates/synchronization-jobs/{id}': {
    ...SYNCHRONIZATION,
    begunBy: ['/v1/keymgr/cloud-b/certificates/synchronization-jobs'],
  },
  '/v1/keymgr/cloud-c/synchronization-jobs/{id}': {
    ...SYNCHRONIZATION,
    begunBy: ['/v1/keymgr/cloud-c/synchronization-jobs'],
  },
  '/v1/keymgr/cloud-a/reports/{id}': { ...REPORT, begunBy: ['/v1/keymgr/cloud-a/reports'] },
  '/v1/keymgr/cloud-b/reports/{id}': { ...REPORT, begunBy: ['/v1/keymgr/cloud-b/reports'] },
  '/v1/keymgr/cloud-c/reports/{id}': { ...REPORT, begunBy: ['/v1/keymgr/cloud-c/reports'] },
  '/v1/keymgr/cloud-a/bulkjob/{id}': { ...BULK, total: 'keys', begunBy: ['/v1/keymgr/cloud-a/bulkjob'] },
  '/v1/keymgr/cloud-b/bulkjobs/{id}': { ...BULK, total: 'backups', begunBy: ['/v1/keymgr/cloud-b/bulkjobs'] },
  '/v1/keymgr/cloud-c/update-all-versions-jobs/{id}': {
    ...BULK,
    begunBy: ['/v1/keymgr/cloud-c/update-all-versions-jobs'],
  },
  '/v1/scheduler/jobs/{id}': {
    status: 'status',
    pending: ['scheduled', 'in_progress'],
    failed: ['failed', 'aborted'],
    reasons: ['errors'],
    begunBy: ['/v1/scheduler/job-configs/{id}/run-now'],
    ids: { id: 'job_id' },
    left: 'left_count',
    total: 'total_count',
  },
  '/v1/keymgr/cloud-a/keys/{id}/rotate-material/status': {
    status: 'overall_status',
    pending: ['in_progress'],
    failed: ['failed'],
    reasons: ['error_details'],
    begunBy: ['/v1/keymgr/cloud-a/keys/{id}/rotate-material'],
  },
  '/v1/keymgr/cloud-a/custom-key-stores/{id}': {
    status: 'cloud_a_param.connection_state',
    pending: ['CONNECTING', 'DISCONNECTING'],
    failed: ['FAILED'],
    reasons: ['cloud_a_param.connection_error_details'],
    begunBy: [
      '/v1/keymgr/cloud-a/custom-key-stores/{id}/connect',
      '/v1/keymgr/cloud-a/custom-key-stores/{id}/disconnect',
    ],
  },
  '/v1/keymgr/cloud-c/keys/{id}': {
    status: 'create_status',
    pending: ['in_progress'],
    failed: ['failed'],
    reasons: [],
    begunBy: ['/v1/keymgr/cloud-c/keys', '/v1/keymgr/cloud-c/upload-key'],
    ids: BY_ID,
  },
  // The key that was replaced: a rotation answers the new one, which is in use from the first moment on.
  '/v1/domains/{id}/keks/{kekID}': {
    status: 'state',
    pending: ['resealing'],
    failed: ['failed'],
    reasons: [],
    begunBy: ['/v1/domains/{id}/retry-kek-rotation'],
    ids: { kekID: 'id' },
  },
  '/platform/api/v1/audit-log-exports/{jobId}': {
    status: 'status',
    pending: ['in_progress'],
    failed: ['failed'],
    reasons: ['message'],
    begunBy: ['/platform/api/v1/audit-log-exports'],
    ids: { jobId: 'jobId' },
    done: 'records',
  },
} as const satisfies Partial<Record<PathOf<'get'>, JobRow>>

export type JobPath = keyof typeof JOBS

/** Made of the API description by `npm run describe`. */
/** Every job, by the path that shows it. */
export const JOBS = {
  "/v1/domains/{id}/keks/{kekID}": {"status":"state","pending":["resealing"],"failed":["failed"],"begunBy":["/v1/domains/{id}/retry-kek-rotation"],"ids":{"kekID":"id"}},
  "/platform/api/v1/audit-log-exports/{jobId}": {"status":"status","pending":["in_progress"],"failed":["failed"],"reasons":["message"],"done":"records","begunBy":["/platform/api/v1/audit-log-exports"],"ids":{"jobId":"jobId"}},
  "/v1/keymgr/cloud-a/keys/{id}/rotate-material/status": {"status":"overall_status","pending":["in_progress"],"failed":["failed"],"reasons":["error_details"],"begunBy":["/v1/keymgr/cloud-a/keys/{id}/rotate-material"],"ids":{}},
  "/v1/keymgr/cloud-a/bulkjob/{id}": {"status":"overall_status","pending":["in_progress"],"failed":["failed","aborted"],"reasons":["detailed_status"],"done":"detailed_status","total":"keys","begunBy":["/v1/keymgr/cloud-a/bulkjob"],"ids":{"id":"id"}},
  "/v1/keymgr/cloud-a/synchronization-jobs/{id}": {"status":"overall_status","pending":["in_progress"],"failed":["failed","aborted"],"reasons":["errors","detailed_status"],"begunBy":["/v1/keymgr/cloud-a/synchronization-jobs"],"ids":{"id":"id"}},
  "/v1/keymgr/cloud-a/custom-key-stores/synchronization-jobs/{id}": {"status":"overall_status","pending":["in_progress"],"failed":["failed","aborted"],"reasons":["errors","detailed_status"],"begunBy":["/v1/keymgr/cloud-a/custom-key-stores/synchronization-jobs"],"ids":{"id":"id"}},
  "/v1/keymgr/cloud-a/custom-key-stores/{id}": {"status":"cloud_a_param.connection_state","pending":["CONNECTING","DISCONNECTING"],"failed":["FAILED"],"reasons":["cloud_a_param.connection_error_details"],"begunBy":["/v1/keymgr/cloud-a/custom-key-stores/{id}/connect","/v1/keymgr/cloud-a/custom-key-stores/{id}/disconnect"],"ids":{}},
  "/v1/keymgr/cloud-b/synchronization-jobs/{id}": {"status":"overall_status","pending":["in_progress"],"failed":["failed","aborted"],"reasons":["errors","detailed_status"],"begunBy":["/v1/keymgr/cloud-b/synchronization-jobs"],"ids":{"id":"id"}},
  "/v1/keymgr/cloud-b/secrets/synchronization-jobs/{id}": {"status":"overall_status","pending":["in_progress"],"failed":["failed","aborted"],"reasons":["errors","detailed_status"],"begunBy":["/v1/keymgr/cloud-b/secrets/synchronization-jobs"],"ids":{"id":"id"}},
  "/v1/keymgr/cloud-b/certificates/synchronization-jobs/{id}": {"status":"overall_status","pending":["in_progress"],"failed":["failed","aborted"],"reasons":["errors","detailed_status"],"begunBy":["/v1/keymgr/cloud-b/certificates/synchronization-jobs"],"ids":{"id":"id"}},
  "/v1/keymgr/cloud-b/bulkjobs/{id}": {"status":"overall_status","pending":["in_progress"],"failed":["failed","aborted"],"reasons":["detailed_status"],"done":"detailed_status","total":"backups","begunBy":["/v1/keymgr/cloud-b/bulkjobs"],"ids":{"id":"id"}},
  "/v1/keymgr/cloud-c/keys/{id}": {"status":"create_status","pending":["in_progress"],"failed":["failed"],"begunBy":["/v1/keymgr/cloud-c/keys","/v1/keymgr/cloud-c/upload-key"],"ids":{"id":"id"}},
  "/v1/keymgr/cloud-c/update-all-versions-jobs/{id}": {"status":"overall_status","pending":["in_progress"],"failed":["failed","aborted"],"reasons":["detailed_status"],"done":"detailed_status","begunBy":["/v1/keymgr/cloud-c/update-all-versions-jobs"],"ids":{"id":"id"}},
  "/v1/keymgr/cloud-c/synchronization-jobs/{id}": {"status":"overall_status","pending":["in_progress"],"failed":["failed","aborted"],"reasons":["errors","detailed_status"],"begunBy":["/v1/keymgr/cloud-c/synchronization-jobs"],"ids":{"id":"id"}},
  "/v1/keymgr/cloud-d/keys/{id}": {"status":"cloud_d_params.lifecycle_state","pending":["CREATING"],"failed":["DELETED"],"begunBy":["/v1/keymgr/cloud-d/keys","/v1/keymgr/cloud-d/upload-key"],"ids":{"id":"id"}},
  "/v1/keymgr/cloud-d/synchronization-jobs/{id}": {"status":"overall_status","pending":["in_progress"],"failed":["failed","aborted"],"reasons":["errors","detailed_status"],"begunBy":["/v1/keymgr/cloud-d/synchronization-jobs"],"ids":{"id":"id"}},
  "/v1/keymgr/datacust/synchronization-jobs/{id}": {"status":"overall_status","pending":["in_progress"],"failed":["failed","aborted"],"reasons":["errors","detailed_status"],"begunBy":["/v1/keymgr/datacust/synchronization-jobs"],"ids":{"id":"id"}},
  "/v1/scheduler/jobs/{id}": {"status":"status","pending":["scheduled","in_progress"],"failed":["failed","aborted"],"reasons":["errors"],"left":"left_count","total":"total_count","begunBy":["/v1/scheduler/job-configs/{id}/run-now"],"ids":{"id":"job_id"}},
  "/v1/keymgr/cloud-a/reports/{id}": {"status":"overall_status","pending":["in_progress"],"failed":["failed"],"reasons":["detailed_status"],"done":"detailed_status","total":"kms","begunBy":["/v1/keymgr/cloud-a/reports"],"ids":{"id":"id"}},
  "/v1/keymgr/cloud-b/reports/{id}": {"status":"overall_status","pending":["in_progress"],"failed":["failed"],"reasons":["detailed_status"],"done":"detailed_status","total":"key_vaults","begunBy":["/v1/keymgr/cloud-b/reports"],"ids":{"id":"id"}},
  "/v1/keymgr/cloud-c/reports/{id}": {"status":"overall_status","pending":["in_progress"],"failed":["failed"],"reasons":["detailed_status"],"done":"detailed_status","total":"key_rings","begunBy":["/v1/keymgr/cloud-c/reports"],"ids":{"id":"id"}},
  "/v1/keymgr/cloud-d/reports/{id}": {"status":"overall_status","pending":["in_progress"],"failed":["failed"],"reasons":["detailed_status"],"done":"detailed_status","total":"vaults","begunBy":["/v1/keymgr/cloud-d/reports"],"ids":{"id":"id"}},
  "/v1/keymgr/datacust/reports/{id}": {"status":"overall_status","pending":["in_progress"],"failed":["failed"],"reasons":["detailed_status"],"done":"detailed_status","total":"groups","begunBy":["/v1/keymgr/datacust/reports"],"ids":{"id":"id"}},
} as const

/** POSTs that take no `Idempotency-Key` and may do twice what is repeated. */
export const ONCE: readonly string[] = [
  "/v1/auth/tokens",
  "/v1/auth/logout",
  "/v1/vault/keys2/{id}/export",
  "/v1/vault/keys-bulk-export",
  "/v1/vault/secrets/{id}/export",
  "/v1/ca/csr",
  "/v1/client-management/clients",
  "/v1/client-management/clients/{id}/renew",
  "/v1/client-management/self/client/renew",
  "/v1/audit/platform-credentials",
  "/platform/auth/oauth/v1/token",
  "/v1/keymgr/WorkspaceCSE/endpoints/{id}/wrapprivatekey",
]

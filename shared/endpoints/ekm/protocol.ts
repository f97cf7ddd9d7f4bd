import { defineProtocol } from '../../endpoint/protocol.ts'
import { EKM_ACCESS_LOG } from './access-log.ts'
import { ekmAuditLine } from './audit-line.ts'

/** External key manager of cloud-c: the cloud wraps and signs with a key that stays here. */
export const ekm = defineProtocol({
  name: 'ekm',
  title: 'external key manager of cloud-c',
  described: async () => (await import('./described.ts')).ekmDescribed,
  dataPlane: 'ekm-data',
  dataPlaneHttp: {
    prefixes: ['/api/v1/keymgr/ekm/session'],
    // `<id>:wrap` is one segment: no path template of the front door distinguishes it from an id. No other path below
    // it accepts POST.
    calls: ['POST /api/v1/keymgr/ekm/endpoints/{key}'],
    timeoutSeconds: 5,
    budgetMs: EKM_ACCESS_LOG.levels.limitMs,
  },
  management: { group: 'ekm', prefixes: ['/api/v1/keymgr/ekm'] },
  auditLine: ekmAuditLine,
  settings: {
    KEYMGR_EKM_ISSUER: 'is the issuer of the identity tokens of cloud-c.',
    KEYMGR_EKM_KEY_SET: 'is the address of its key set.',
    KEYMGR_EKM_LOOPBACK: 'is `allowed` where issuers of domains may run on this machine.',
    KEYMGR_EKM_CALLS_PER_SECOND: 'is how many calls one caller may make to an EKM endpoint (500).',
    KEYMGR_EKM_SPACE_CALLS_PER_SECOND: 'is how many calls one caller may make to a crypto space (20).',
  },
  sweeps: async () => [
    ...(await import('./spaces/destroy.ts')).ekmSweeps,
    ...(await import('./session-certificate/hosts.ts')).HOST_SWEEPS,
    ...(await import('../../serving/session-store.ts')).SESSION_SWEEPS,
  ],
  levels: async () => (await import('./levels.ts')).ekmLevels,
  inspect: async () => (await import('./inspect.ts')).wrappedBlobs,
  blockable: async () => (await import('./key-user.ts')).ekmBlockable,
  keyUser: async () => (await import('./key-user.ts')).ekmKeyUser,
  keepsSessions: true,
  sealed: {
    'ekm-session-certificate': async () => (await import('./session-certificate/store.ts')).sealedSessionCertificates,
  },
  purge: async () => (await import('./key-user.ts')).ekmPurge,
})

import { auditLine } from '../../serving/access-log.ts'
import { EKM_ACCESS_LOG } from './access-log.ts'
import { uriOfEndpoint } from './identifiers.ts'

/** The identity with which the cloud's key service itself calls, for every customer's project. */
const SERVICE_AGENT = /^service-\d+@gcp-sa-ekms\.iam\.gserviceaccount\.com$/
const PROJECT = /^projects\/([^/]+)\//

/**
 * The cloud project of the key that a call serves. Ours: only the cloud's own service is trusted, so that no other
 * caller can keep its calls out of the audit by naming a project.
 */
const projectServed = (email = '', resource = ''): string | undefined =>
  SERVICE_AGENT.test(email) ? PROJECT.exec(resource)?.[1] : undefined

/**
 * Ours: refusals without a known endpoint are aggregated even for a known caller. Any account of the cloud can get a
 * token for our host and call endpoints that do not exist.
 */
export const ekmAuditLine = auditLine(EKM_ACCESS_LOG, {
  service: 'ekm',
  title: 'EKM endpoint',
  uri: (domain, { endpoint }) => (endpoint === undefined ? undefined : uriOfEndpoint(domain, endpoint)),
  isAggregated: ({ endpoint, email, outcome }) =>
    endpoint === undefined || email === undefined || outcome === 'RESOURCE_EXHAUSTED',
  apart: ['alert', 'evidence'], // a session names no endpoint
  successSetting: (domain, { email, resource }) => {
    const project = projectServed(email, resource)
    if (project === undefined) return undefined
    return {
      name: `project ${project}`,
      isOn: async () => (await import('./project-audit.ts')).recordsSuccesses(domain, project),
    }
  },
  details: [
    'version',
    'reason',
    'resource',
    'fullResource',
    'healthCheck',
    'policy',
    'rule',
    'policyError',
    'alert',
    'evidence',
    'technology',
    'instance',
    'project',
    'zone',
    'refusal',
    'ms',
  ],
})

import { rmSync } from 'node:fs'
import { JOB_SCHEDULES } from '../functions.ts'
import { LOCAL_NAMES } from './account.ts'
import { OWN_NAMES } from './certificate.ts'
import type { CloudASimulator } from '../simulators/cloud-a/simulator.ts'
import type { CloudCSimulator, KeyFile } from '../simulators/cloud-c/simulator.ts'
import { writeWhole } from './data-directory.ts'

/** The interface's description of itself, served by the `guide` function. */
export const API_DESCRIPTION = '/api/v1/openapi.json'
/** A name under which the simulated cloud-a finds this deployment: `https://` before it is a key store's endpoint. */
export const PROXY_HOST = `xks.${OWN_NAMES}`

/** `endpoints.json`: written when everything answers, gone when it no longer does. */
interface Endpoints {
  /** interface "Conventions": scheme and host followed by `/api` */
  readonly base_url: string
  readonly origin: string
  readonly tls_base_url?: string
  readonly tls_origin?: string
  readonly api_description: string
  readonly pid: number
  readonly table: { readonly endpoint: string; readonly name: string }
  readonly kms: { readonly endpoint: string; readonly key_id: string }
  readonly events: { readonly endpoint: string; readonly bus: string }
  readonly step_functions: { readonly endpoint: string }
  readonly scheduler: { readonly endpoint: string; readonly group: string }
  readonly objects: { readonly endpoint: string; readonly bucket: string }
  /** the simulated one; absent when the user named another */
  readonly cloud_a?: {
    readonly endpoint: string
    readonly accounts: readonly ShownAccount[]
    /** what it finds this deployment under, with the certificate of our own making */
    readonly proxy_host?: string
  }
  /** likewise */
  readonly cloud_c?: {
    readonly endpoint: string
    /** of accounts that work there, as they are put in a connection; the first may manage everything */
    readonly key_files: readonly KeyFile[]
    readonly projects: readonly { readonly id: string; readonly key_rings: readonly string[] }[]
  }
  /** PEM; what a client of the `tls_` addresses must trust */
  readonly ca_certificate?: string
}

/** An account of a simulated cloud, with credentials that work there. */
interface ShownAccount {
  readonly id: string
  readonly cloud_name: string
  readonly access_key_id: string
  readonly secret_access_key: string
}

const shownAccount = ({ id, cloud_name, credentials }: CloudASimulator['accounts'][number]): ShownAccount => ({
  id,
  cloud_name,
  access_key_id: credentials.accessKeyId,
  secret_access_key: credentials.secretAccessKey,
})

/** Projects with key rings. */
export const shownProjects = ({ projects, rings }: CloudCSimulator) =>
  projects()
    .map(({ id }) => ({ id, key_rings: rings().filter((name) => name.startsWith(`projects/${id}/`)) }))
    .filter(({ key_rings }) => key_rings.length > 0)

/** What runs, and where. */
export interface Running {
  readonly gateway: { readonly baseUrl: string; readonly tlsBaseUrl?: string | undefined }
  /** PEM of the certificate's anchor, when it is of our own making. */
  readonly anchor: string | undefined
  readonly table: { readonly endpoint: string }
  readonly kms: { readonly endpoint: string }
  readonly rootKeyId: string
  readonly events: { readonly endpoint: string }
  readonly flows: { readonly endpoint: string }
  readonly scheduler: { readonly endpoint: string }
  readonly objects: { readonly endpoint: string }
  readonly cloudA: CloudASimulator | undefined
  readonly cloudC: CloudCSimulator | undefined
}

/** @returns takes the file away again, as often as it is asked */
export function writeEndpoints(file: string, running: Running): () => void {
  writeWhole(file, `${JSON.stringify(endpointsOf(running), null, 2)}\n`)
  return () => rmSync(file, { force: true })
}

function endpointsOf(running: Running): Endpoints {
  const { gateway, anchor, table, kms, rootKeyId, events, flows, scheduler, objects, cloudA, cloudC } = running
  const { baseUrl, tlsBaseUrl } = gateway
  return {
    base_url: `${baseUrl}/api`,
    origin: baseUrl,
    ...(tlsBaseUrl !== undefined && { tls_base_url: `${tlsBaseUrl}/api`, tls_origin: tlsBaseUrl }),
    api_description: `${baseUrl}${API_DESCRIPTION}`,
    pid: process.pid,
    table: { endpoint: table.endpoint, name: LOCAL_NAMES.table },
    kms: { endpoint: kms.endpoint, key_id: rootKeyId },
    events: { endpoint: events.endpoint, bus: LOCAL_NAMES.bus },
    step_functions: { endpoint: flows.endpoint },
    scheduler: { endpoint: scheduler.endpoint, group: JOB_SCHEDULES.group },
    objects: { endpoint: objects.endpoint, bucket: LOCAL_NAMES.bucket },
    ...(cloudA && {
      cloud_a: {
        endpoint: cloudA.endpoint,
        accounts: cloudA.accounts.map(shownAccount),
        ...(anchor !== undefined && { proxy_host: PROXY_HOST }),
      },
    }),
    ...(cloudC && {
      cloud_c: { endpoint: cloudC.endpoint, key_files: cloudC.keyFiles, projects: shownProjects(cloudC) },
    }),
    ...(anchor !== undefined && { ca_certificate: anchor }),
  }
}

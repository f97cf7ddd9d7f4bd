import { SFNClient, StartExecutionCommand } from '@aws-sdk/client-sfn'
import { expect } from 'vitest'
import { LOCAL_ACCOUNT } from '../../../infra/local/stand-ins/account.ts'
import type { Answered } from '../../support/service.ts'
import { keysOf, type CloudATests } from '../cloud-a/cloud-a.ts'
import type { Holder, Vault } from '../vault/vault.ts'

export const CONFIGS = '/v1/scheduler/job-configs'
export const JOBS = '/v1/scheduler/jobs'

/** Pauses of a run end at once. */
export const AT_ONCE = { flowPauseMs: () => 1 } as const

/** Rotates the attached keys of cloud-a, daily at 3:00. */
export const rotation = (name: string, params: object = {}, more: object = {}): any => ({
  name,
  operation: 'keymgr_key_rotation',
  run_at: '0 3 * * *',
  keymgr_key_rotation_params: { cloud_name: 'cloud-a', ...params },
  ...more,
})
export const synchronization = (name: string, params: object, more: object = {}): any => ({
  name,
  operation: 'keymgr_synchronization',
  run_at: '30 4 * * mon',
  keymgr_synchronization_params: { cloud_name: 'cloud-a', ...params },
  ...more,
})
export const credentials = (name: string, more: object = {}): any => ({
  name,
  operation: 'keymgr_xks_credential_rotation',
  run_at: '0 5 1 * *',
  keymgr_xks_credential_rotation_params: { cloud_name: 'cloud-a' },
  ...more,
})

/** API calls of a user of the scheduler. */
export const schedulerOf = (vault: Vault, who: Holder = vault.admin) => {
  const { deployment } = vault.service
  const job = (id: string): Promise<any> => who.ok('GET', `${JOBS}/${id}`)
  const runNow = (id: string): Promise<any> => who.ok('POST', `${CONFIGS}/${id}/run-now`)
  return {
    create: (body: object): Promise<any> => who.ok('POST', CONFIGS, body),
    tryCreate: (body: object): Promise<Answered> => who.call('POST', CONFIGS, body),
    get: (id: string): Promise<any> => who.ok('GET', `${CONFIGS}/${id}`),
    list: (query = ''): Promise<any> => who.ok('GET', `${CONFIGS}${query}`),
    update: (id: string, body: object): Promise<any> => who.ok('PATCH', `${CONFIGS}/${id}`, body),
    tryUpdate: (id: string, body: object): Promise<Answered> => who.call('PATCH', `${CONFIGS}/${id}`, body),
    remove: (id: string): Promise<Answered> => who.call('DELETE', `${CONFIGS}/${id}`),
    preview: (id: string): Promise<any> => who.ok('GET', `${CONFIGS}/${id}/preview`),
    runNow,
    tryRunNow: (id: string): Promise<Answered> => who.call('POST', `${CONFIGS}/${id}/run-now`),
    job,
    jobs: (query = ''): Promise<any> => who.ok('GET', `${JOBS}${query}`),
    subJobs: (id: string, query = ''): Promise<any> => who.ok('GET', `${JOBS}/${id}/sub-jobs${query}`),
    /** Starts a run as the scheduler does. */
    fire: async (config: any, at: Date): Promise<void> => {
      const { region, credentials: own } = LOCAL_ACCOUNT
      const client = new SFNClient({ endpoint: deployment.flows.endpoint, region, credentials: own })
      const input = JSON.stringify({
        domain: config.account.split(':').at(-1),
        job_config: config.id,
        occasion: at.toISOString().replace(/\.\d+Z/, 'Z'),
        generation: 0,
      })
      const stateMachineArn = deployment.flows.arnOf('run-job')
      await client.send(new StartExecutionCommand({ stateMachineArn, input }))
      client.destroy()
    },
    /** A run after its end. */
    ran: async (configId: string): Promise<any> => {
      const { job_id } = await runNow(configId)
      await deployment.flows.idle()
      return job(job_id as string)
    },
  }
}

/** A key with local material that joined a configuration. */
export async function attachedKey(cloudA: CloudATests, config: any, alias: string, how: object = {}): Promise<any> {
  const keys = keysOf(cloudA.admin)
  const key = await keys.upload({ source_key_identifier: 'source', cloud_a_param: { Alias: alias } })
  const joined = await keys.act(key.id as string, 'enable-rotation-job', { job_config_id: config.id, ...how })
  expect(joined.labels).toMatchObject({ job_config_id: config.id, auto_rotate_key_source: 'local' })
  return joined
}

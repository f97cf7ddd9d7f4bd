import * as fs from 'node:fs'
import * as path from 'node:path'
import { expect, test } from 'vitest'
import { FILES } from '../../../infra/local/data/data-directory.ts'
import { startDeployment } from '../../../infra/local/deployment.ts'
import { BUNDLES } from '../../support/build.ts'
import { ADMIN_PASSWORD, Service } from '../../support/service.ts'
import { demo, expectNothingSecret, folder, OWN, PATIENCE_MS, STEPS, stepsOf } from './demo-support.ts'
import { temporaryFolder } from './deployment-support.ts'

test(
  'on its own service it shows every step in order, and deletes here what was deleted at the cloud',
  async () => {
    const { code, out, err } = await demo()
    expect({ code, err }, out).toEqual({ code: 0, err: '' })
    expect(stepsOf(out)).toEqual(STEPS)
    expect(out).toContain('refused  error=AccessDeniedException\n')
    expect(out).toContain('done  plaintext=written before the rotation\n')
    expect(out).toContain('200  gone=true\n')
    expect(out).toContain('refused  error=KMSInvalidStateException\n')
    expect(out).toContain('done  plaintext=written with the first version\n')
    expectNothingSecret(out)
    expect(fs.readdirSync(folder)).toEqual([])
  },
  PATIENCE_MS,
)

test(
  'on a running service it leaves nothing behind, after any number of runs, also when it ends early',
  async () => {
    const dataDir = temporaryFolder()
    const deployment = await startDeployment({
      bundles: BUNDLES,
      dataDir,
      adminPassword: ADMIN_PASSWORD,
      environment: { KEYMGR_CALLS_PER_SECOND: '100000' },
    })
    try {
      const args = ['--url', `${deployment.baseUrl}/api/`, '--data-dir', dataDir]
      const show = () => demo(args, { KEYMGR_ADMIN_PASSWORD: ADMIN_PASSWORD })
      for (const { code, out, err } of await Promise.all([show(), show()])) {
        expect({ code, err }, out).toEqual({ code: 0, err: '' })
        expect(stepsOf(out)).toEqual(STEPS.filter((step) => !OWN.includes(step)))
        expectNothingSecret(out)
        expect(out).not.toContain(ADMIN_PASSWORD)
        expect(out).toContain('200  KeyState=PendingDeletion\n') // the demo does not wait a week for the deletion
      }
      const remove = deployment.cloudA.inject({ fault: 'quota', operation: 'CreateAlias' })
      const early = await show()
      remove()
      expect(early.code).toBe(1)
      expect(early.err).toMatch(
        /^POST \/v1\/keymgr\/cloud-a\/upload-key answered 409: .*LimitExceeded.* \(code 16\)\n$/,
      )
      expect(stepsOf(early.out)).toEqual(STEPS.slice(0, 7))
      const service = new Service(deployment)
      const token = await service.logIn()
      for (const list of ['/v1/connectionmgmt/connections', '/v1/keymgr/cloud-a/kms', '/v1/vault/keys2']) {
        const { body } = await service.call('GET', list, { token })
        expect(body, list).toMatchObject({ total: 0 })
      }
      const [account] = deployment.cloudA.accounts
      const left = deployment.cloudA.keysIn(account?.id ?? '', 'eu-west-1')
      expect(left).toHaveLength(5 + 5 + 1) // the refused upload had already created its key
      expect(new Set(left.map(({ state }) => state))).toEqual(new Set(['PendingDeletion']))
      fs.rmSync(path.join(dataDir, FILES.endpoints))
      const blind = await show()
      expect(blind.code).toBe(1)
      expect(blind.err).toBe(
        `There is no ${path.join(dataDir, FILES.endpoints)} to tell where the simulated cloud is; ` +
          'name its folder with --data-dir.\n',
      )
      const stranger = await demo(args, { KEYMGR_ADMIN_PASSWORD: 'Another-Horse-7' })
      expect(stranger.code).toBe(1)
      expect(stranger.err).toMatch(/^POST \/v1\/auth\/tokens answered 401: .+ \(code 3\)\n$/)
    } finally {
      await deployment.stop()
    }
  },
  PATIENCE_MS,
)

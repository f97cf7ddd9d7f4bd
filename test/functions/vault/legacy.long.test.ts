import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import * as path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { startDeployment } from '../../../infra/local/deployment.ts'
import { BUNDLES } from '../../support/build.ts'
import { ADMIN_PASSWORD, Service } from '../../support/service.ts'
import { expectRefused, Holder } from './vault.ts'

const dataDir = mkdtempSync(path.join(tmpdir(), 'keymgr-legacy-'))
afterAll(() => rmSync(dataDir, { recursive: true }))

/** Runs `work` with the administrator of the same data under another setting. */
async function during(setting: string, work: (admin: Holder) => Promise<void>): Promise<void> {
  const environment = { KEYMGR_LEGACY_ALGORITHMS: setting, KEYMGR_CHECK_ANSWERS: 'true' }
  const deployment = await startDeployment({ bundles: BUNDLES, dataDir, adminPassword: ADMIN_PASSWORD, environment })
  const service = new Service(deployment)
  try {
    await work(new Holder(service, () => service.logIn()))
  } finally {
    await deployment.stop()
  }
}

test('an existing legacy key stays usable where no new one is possible, but gets no successor', async () => {
  const kek = { wrapKeyName: 'small', wrapPublicKeyPadding: 'oaep256' }
  let wrapped: any
  await during('allowed', async (admin) => {
    const made = await admin.create({ name: 'small', algorithm: 'rsa', size: 1024, usageMask: 16 + 32 + 64 })
    expect(made.legacy).toBe(true)
    await admin.create({ name: 'secret', size: 128 })
    wrapped = await admin.act('secret', 'export', kek)
    expect((await admin.act('small', 'versions', {})).legacy).toBe(true)
  })
  await during('refused', async (admin) => {
    expect(await admin.get('small')).toMatchObject({ legacy: true, size: 1024, version: 1 })
    await admin.create({
      name: 'again',
      size: 128,
      material: wrapped.material,
      ...kek,
      wrapKeyName: await firstOf(admin),
    })
    expect((await admin.act('small', 'export', {})).material).toContain('PRIVATE KEY')
    const refused = await admin.tryAct('small', 'versions', {})
    expectRefused(refused, 422, 2)
    expectRefused(await admin.tryAct('small', 'clone', { newKeyName: 'small too' }), 422, 2)
    expect(refused.body.detail).toContain('does not allow legacy algorithms')
  })
})

const firstOf = async (admin: Holder): Promise<string> => (await admin.get('small', '?version=0')).id

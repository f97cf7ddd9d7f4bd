import { execFile } from 'node:child_process'
import * as fs from 'node:fs'
import * as path from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { useCommandLine } from '../../support/command-line.ts'
import { ADMIN_PASSWORD, useService } from '../../support/service.ts'

/** The commands of the README, one after the other, as a shell runs them. */
const service = useService()
const keymgr = useCommandLine()
const readme = fs.readFileSync(path.join(import.meta.dirname, '../../../README.md'), 'utf8')

test('the commands of the README do what it says', async () => {
  const [, commands = ''] = /<!-- a test runs these with the command line -->\s+```sh\n([^`]+)```/.exec(readme) ?? []
  expect(commands.trim().split('\n').length).toBeGreaterThan(6)
  const folder = path.join(keymgr.folder, 'bin')
  fs.mkdirSync(folder)
  fs.chmodSync(keymgr.program, 0o755)
  fs.symlinkSync(keymgr.program, path.join(folder, 'keymgr'))
  fs.writeFileSync(path.join(keymgr.home, 'anna.txt'), 'Pass-word-1x\n')
  const { PATH = '' } = keymgr.environment
  const env = { ...keymgr.environment, PATH: `${folder}:${PATH}`, KEYMGR_ADMIN_PASSWORD: ADMIN_PASSWORD }
  const here = commands.replace('http://127.0.0.1:8080', service().deployment.baseUrl)
  const { stdout, stderr } = await promisify(execFile)('sh', ['-ec', here], { cwd: keymgr.home, env })
  expect(stdout).toMatch(/^shop +\w+ +0 +Active/m)
  expect(stdout).toContain('[\n  "shop"\n]')
  expect(stdout).toContain('curl -X POST "$KEYMGR_URL/v1/vault/keys2/shop/versions"')
  expect(stdout).toContain('"overall_status": "completed"')
  expect(stdout).toContain('"username": "anna"')
  expect(stderr).toMatch(/^completed/m)
  expect(stderr).toMatch(/Logged out of/)
})

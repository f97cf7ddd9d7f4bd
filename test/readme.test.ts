import { execFile } from 'node:child_process'
import * as fs from 'node:fs'
import * as path from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { ROUTES } from '../infra/routes.ts'
import { ADMIN_PASSWORD, useService } from './support/service.ts'

const service = useService()
const root = path.join(import.meta.dirname, '..')
const readme = fs.readFileSync(path.join(root, 'README.md'), 'utf8')

test('the commands of the README get a token, make a first key, read it and show its audit record', async () => {
  const commands = /<!-- a test runs these -->\s+```sh\n([^`]+)```/.exec(readme)?.[1]
  expect(commands?.trim().split('\n')).toHaveLength(5)
  const env = {
    PATH: process.env.PATH,
    BASE: `${service().deployment.baseUrl}/api`,
    KEYMGR_ADMIN_PASSWORD: ADMIN_PASSWORD,
  }
  const { stdout } = await promisify(execFile)('sh', ['-ec', commands ?? ''], { env })
  expect(stdout).toContain('"name":"first"')
  expect(stdout).toContain('"message":"Create Key"')
})

test('every dependency has its reason in the README', () => {
  const { dependencies, devDependencies, optionalDependencies } = JSON.parse(
    fs.readFileSync(path.join(root, 'package.json'), 'utf8'),
  ) as Record<string, Record<string, string>>
  const table = readme.slice(readme.indexOf('## Why each dependency'))
  const shortened = (name: string): boolean =>
    name.startsWith('@aws-sdk/client-') && table.includes(`\`${name.slice(15)}\``)
  const missing = Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies }).filter(
    (name) => !table.includes(`\`${name}\``) && !shortened(name),
  )
  expect(missing).toEqual([])
})

test('every address the README names is a route', () => {
  const named = [...readme.matchAll(/\$BASE(\/v1\/[a-z0-9/]+)/g)].map(([, address = '']) => address)
  expect(named.length).toBeGreaterThan(3)
  for (const address of named)
    expect(
      ROUTES.some(({ path: pattern }) => new RegExp(`^${pattern.replaceAll(/\{[^}]+\}/g, '[^/]+')}$`).test(address)),
      address,
    ).toBe(true)
})

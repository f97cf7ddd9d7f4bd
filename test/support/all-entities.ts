import * as fs from 'node:fs'
import * as path from 'node:path'
import type { Entity } from '../../shared/store/entity.ts'

const SHARED = path.join(import.meta.dirname, '../../shared')

const isEntity = (value: unknown): value is Entity<unknown, unknown> =>
  typeof value === 'object' && value !== null && 'getMany' in value && 'schema' in value && 'sets' in value

/** Every kind of item that a module of the service exports, by name. */
export async function allEntities(): Promise<Map<string, Entity<unknown, unknown>>> {
  const files = fs
    .readdirSync(SHARED, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .filter((file) => /\b(entity|sweptEntity)\(/.test(fs.readFileSync(path.join(SHARED, file), 'utf8')))
  const modules: object[] = []
  for (const file of files) modules.push((await import(path.join(SHARED, file))) as object)
  const found = modules.flatMap((module) => Object.values(module).filter(isEntity))
  return new Map(found.map((one) => [one.name, one]))
}

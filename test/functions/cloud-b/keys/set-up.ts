import { keysOf, useKeys } from '../keys.ts'

export const tests = useKeys()
export const keys = () => keysOf(tests().admin)
export const NOTHING = '01890000-0000-7000-8000-00000000ffff'
export const PARAM = '#/cloud_b_param'
export const POLICY = { data: { version: '1.0.0', anyOf: [{ authority: 'https://attest.example', allOf: [] }] } }
export const seconds = (ms: number): number => Math.floor(Date.parse(tests().at(ms)) / 1_000)

import { NetworkError } from '../errors/networkError';

/** An error as n8n's request helper throws it. */
export interface N8nRequestError {
  name?: string;
  code?: string;
  message?: string;
  cause?: {
    name?: string;
    cause?: { name?: string };
    code?: string;
    syscall?: string;
    message?: string;
  };
  /** The code of the network error in n8n up to 2.20, which has neither `cause` nor `code`. */
  httpCode?: string | null;
  /** The message of the network error, in n8n up to 2.20. */
  messages?: string[];
}

/** Node's message for a connection reset during the TLS handshake, before the request was sent. */
const BEFORE_TLS = /before secure TLS connection/i;

/**
 * Distinguishes errors while connecting, when nothing was sent, from errors after the request may have
 * arrived.
 */
function toErrorCode(code: string, message: string, syscall?: string): string {
  // Node begins the message with the system call: "connect EHOSTUNREACH 10.0.0.1:443".
  const isConnecting = syscall === 'connect' || /^connect /.test(message);
  if (code === 'ECONNRESET' && (BEFORE_TLS.test(message) || isConnecting)) return 'ECONNRESET_BEFORE_TLS';
  return /^E(HOST|NET)UNREACH$/.test(code) && !isConnecting ? `${code}_LATER` : code;
}

const isSsrfBlock = (name?: string) => /^SsrfBlocked/.test(name ?? '');

/**
 * Converts an error of n8n's helper. That error contains the request with the key headers, so only its code
 * and message are kept.
 */
export function toNetworkError(error: N8nRequestError): NetworkError {
  const { cause, code, httpCode, message, messages, name } = error;
  const reason = cause?.message ?? messages?.[0] ?? message ?? 'no answer';
  if (isSsrfBlock(name) || isSsrfBlock(cause?.name) || isSsrfBlock(cause?.cause?.name)) {
    return new NetworkError('SSRF_BLOCKED', reason);
  }
  const codes = [cause?.code, code, httpCode];
  const networkCode = codes.find((candidate) => typeof candidate === 'string') ?? 'UNKNOWN';
  return new NetworkError(toErrorCode(networkCode, reason, cause?.syscall), reason);
}
